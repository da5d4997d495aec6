package dev.foretoken.validation.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.foretoken.validation.session.EndpointException;
import dev.foretoken.validation.session.EndpointSession;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A server whose certificate nobody vouches for gets no request and no key. */
class TlsTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path dir;

    @Test
    void anUnknownCertificateIsRefusedBeforeAnythingIsSent() throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(selfSigned()));
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        server.start();
        try {
            Path key = dir.resolve("key");
            Files.writeString(key, "sk-secret-0123456789");
            Endpoint endpoint = new Endpoint(
                    URI.create("https://localhost:" + server.getAddress().getPort()), null, ApiKey.find(Map.of(), key));
            var e = assertThrows(
                    EndpointException.class,
                    () -> EndpointSession.open(
                            endpoint,
                            new EndpointSession.Limits(Duration.ofMillis(10), Duration.ofSeconds(5)),
                            s -> {}));
            assertTrue(e.getMessage().contains("SSL") || e.getMessage().contains("PKIX"), e.getMessage());
            assertEquals(0, requests.get());
        } finally {
            server.stop(0);
        }
    }

    private SSLContext selfSigned() throws Exception {
        Path store = dir.resolve("store.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=localhost",
                        "-alias",
                        "server",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        new String(PASSWORD),
                        "-ext",
                        "san=dns:localhost")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(0, keytool.waitFor(), said);
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }
}
