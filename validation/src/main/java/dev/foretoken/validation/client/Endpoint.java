package dev.foretoken.validation.client;

import java.net.URI;
import java.util.Locale;

/**
 * Where to send requests.
 *
 * @param base root of the server, without the /v1 part
 * @param model model name to ask for; null = the first one the server lists
 * @param key API key
 */
public record Endpoint(URI base, String model, ApiKey key) {
    public Endpoint {
        String scheme = base.getScheme() == null ? "" : base.getScheme().toLowerCase(Locale.ROOT);
        if (!scheme.equals("http") && !scheme.equals("https") || base.getHost() == null) {
            throw new IllegalArgumentException("the endpoint must be an http or https URL: " + withoutUserInfo(base));
        }
        if (base.getUserInfo() != null) {
            throw new IllegalArgumentException(
                    "credentials do not belong in the URL: use " + ApiKey.VARIABLE + " or a key file");
        }
    }

    /** From what a user types: a trailing /v1 or slash is dropped. */
    public static Endpoint of(String url, String model, ApiKey key) {
        URI uri;
        try {
            uri = URI.create(url.strip());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("not a URL: " + url, e);
        }
        String path = uri.getPath() == null ? "" : uri.getPath().replaceAll("/+$", "");
        if (path.endsWith("/v1")) {
            path = path.substring(0, path.length() - "/v1".length());
        }
        if (uri.getScheme() == null || uri.getRawAuthority() == null) {
            throw new IllegalArgumentException("the endpoint must be an http or https URL: " + url);
        }
        return new Endpoint(URI.create(uri.getScheme() + "://" + uri.getRawAuthority() + path), model, key);
    }

    /** Address of a path of the server. */
    public URI resolve(String path) {
        return URI.create(base + path);
    }

    private static String withoutUserInfo(URI uri) {
        return uri.getUserInfo() == null ? uri.toString() : uri.getScheme() + "://" + uri.getHost();
    }
}
