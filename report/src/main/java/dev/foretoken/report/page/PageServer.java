package dev.foretoken.report.page;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.foretoken.formats.json.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.imageio.ImageIO;

/**
 * Serves the what-if page on one machine. It writes nothing and asks nobody: four fixed files, the list of choices, and answers
 * to settings. A request must name this server in Host and, where it has one, in Origin, so that no other page a browser shows
 * can ask it (DNS rebinding included).
 */
public final class PageServer implements AutoCloseable {
    /** Port where none is given. */
    public static final int DEFAULT_PORT = 8765;

    private static final int MOST_BODY_BYTES = 64 * 1024;
    private static final int THREADS = 4;
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self'"
                    + " blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> FILES = Map.of(
            "/", "index.html",
            "/page.css", "page.css",
            "/page.js", "page.js",
            "/controls.js", "controls.js",
            "/drawing.js", "drawing.js",
            "/compare.js", "compare.js",
            "/icon.svg", "icon.svg");

    private final HttpServer server;
    private final ExecutorService threads;
    private final WhatIf whatIf;
    private final String name;

    private PageServer(HttpServer server, ExecutorService threads, WhatIf whatIf, String name) {
        this.server = server;
        this.threads = threads;
        this.whatIf = whatIf;
        this.name = name;
    }

    /**
     * Starts serving.
     *
     * @param host name or address to listen on, such as 127.0.0.1
     * @param port 0 for any free one
     * @throws IOException when the address cannot be used
     */
    public static PageServer start(String host, int port, WhatIfModel model) throws IOException {
        limit("sun.net.httpserver.maxReqTime", "20");
        limit("sun.net.httpserver.maxRspTime", "60");
        limit("sun.net.httpserver.maxReqHeaders", "64");
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getByName(host), port), 32);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS, task -> {
            Thread t = new Thread(task, "page");
            t.setDaemon(true);
            return t;
        });
        PageServer page = new PageServer(http, threads, new WhatIf(model), host);
        http.createContext("/", page::handle);
        http.setExecutor(threads);
        http.start();
        return page;
    }

    private static void limit(String property, String value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, value);
        }
    }

    /** Port that is listened on. */
    public int port() {
        return server.getAddress().getPort();
    }

    /** Where to point a browser. */
    public String url() {
        String host = server.getAddress().getAddress().isAnyLocalAddress() ? "localhost" : name;
        return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port() + "/";
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String refused = refusal(exchange.getRequestHeaders());
            if (refused != null) {
                error(exchange, 403, refused);
                return;
            }
            String path = exchange.getRequestURI().getPath();
            String method = exchange.getRequestMethod();
            if (FILES.containsKey(path)) {
                if (allow(exchange, method, "GET")) {
                    file(exchange, FILES.get(path));
                }
            } else if (path.equals("/api/choices")) {
                if (allow(exchange, method, "GET")) {
                    json(exchange, 200, whatIf.choices());
                }
            } else if (path.equals("/api/answer") || path.startsWith("/api/chart/")) {
                if (allow(exchange, method, "POST")) {
                    answer(exchange, path);
                }
            } else {
                error(exchange, 404, "there is nothing here");
            }
        } catch (RuntimeException e) {
            error(exchange, 500, "the page's server failed: " + e);
        }
    }

    private void answer(HttpExchange exchange, String path) throws IOException {
        String type = exchange.getRequestHeaders().getFirst("Content-Type");
        if (type == null || !type.toLowerCase(java.util.Locale.ROOT).startsWith("application/json")) {
            error(exchange, 415, "settings are sent as application/json");
            return;
        }
        byte[] body = exchange.getRequestBody().readNBytes(MOST_BODY_BYTES + 1);
        if (body.length > MOST_BODY_BYTES) {
            error(exchange, 413, "settings are at most " + MOST_BODY_BYTES + " bytes");
            return;
        }
        try {
            Controls controls = Controls.read(body);
            if (path.equals("/api/answer")) {
                json(exchange, 200, whatIf.answer(controls));
            } else {
                String chart = path.substring("/api/chart/".length()).replaceFirst("\\.png$", "");
                ByteArrayOutputStream png = new ByteArrayOutputStream();
                ImageIO.write(whatIf.plot(controls, chart).image(), "png", png);
                send(exchange, 200, "image/png", png.toByteArray());
            }
        } catch (RuntimeException e) {
            boolean unsaid = e.getMessage() == null || e instanceof NullPointerException;
            error(exchange, 422, unsaid ? "these settings cannot be used" : e.getMessage());
        }
    }

    /** Why a request is not this page's own; null when it is. */
    private String refusal(Headers headers) {
        String host = headers.getFirst("Host");
        if (host == null || headers.get("Host").size() != 1 || !ours(host)) {
            return "the Host of the request is not this server";
        }
        String origin = headers.getFirst("Origin");
        if (origin != null && !origin.equalsIgnoreCase("http://" + host)) {
            return "the request comes from another page";
        }
        String site = headers.getFirst("Sec-Fetch-Site");
        if (site != null && !site.equals("same-origin") && !site.equals("none")) {
            return "the request comes from another page";
        }
        return null;
    }

    /** True for this port under localhost, the name that was asked for, or a literal address (which no DNS answer can be). */
    private boolean ours(String host) {
        int colon = host.lastIndexOf(':');
        boolean bare = colon < 0 || host.endsWith("]");
        String at = bare ? host : host.substring(0, colon);
        String port = bare ? "80" : host.substring(colon + 1);
        boolean literal = at.matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}") || at.matches("\\[[0-9a-fA-F:.]+]");
        return port.equals(Integer.toString(port()))
                && (literal || at.equalsIgnoreCase("localhost") || at.equalsIgnoreCase(name));
    }

    private boolean allow(HttpExchange exchange, String method, String expected) throws IOException {
        if (method.equals(expected) || (expected.equals("GET") && method.equals("HEAD"))) {
            return true;
        }
        exchange.getResponseHeaders().set("Allow", expected);
        error(exchange, 405, "only " + expected + " is answered here");
        return false;
    }

    private void file(HttpExchange exchange, String file) throws IOException {
        String type = file.endsWith(".js")
                ? "text/javascript"
                : file.endsWith(".css") ? "text/css" : file.endsWith(".svg") ? "image/svg+xml" : "text/html";
        try (InputStream in = PageServer.class.getResourceAsStream(file)) {
            send(exchange, 200, type + "; charset=utf-8", in.readAllBytes());
        }
    }

    private record Failure(String error) {}

    private void error(HttpExchange exchange, int status, String message) throws IOException {
        json(exchange, status, new Failure(message));
    }

    private void json(HttpExchange exchange, int status, Object value) throws IOException {
        send(
                exchange,
                status,
                "application/json; charset=utf-8",
                Json.mapper().writeValueAsString(value).getBytes(StandardCharsets.UTF_8));
    }

    private void send(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        Headers headers = exchange.getResponseHeaders();
        headers.set("Content-Type", type);
        headers.set("Content-Security-Policy", POLICY);
        headers.set("X-Content-Type-Options", "nosniff");
        headers.set("Referrer-Policy", "no-referrer");
        headers.set("Cross-Origin-Resource-Policy", "same-origin");
        headers.set("Cross-Origin-Opener-Policy", "same-origin");
        headers.set("Cache-Control", "no-store");
        boolean head = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(status, head ? -1 : body.length);
        if (!head) {
            exchange.getResponseBody().write(body);
        }
    }
}
