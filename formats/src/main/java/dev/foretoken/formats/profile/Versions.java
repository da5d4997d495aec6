package dev.foretoken.formats.profile;

/** Order of version names. */
public final class Versions {
    private static final String PARTS = "[.\\-+]|(?<=\\d)(?=\\D)|(?<=\\D)(?=\\d)";

    private Versions() {}

    /** Compares part by part: numbers as numbers, the rest as text; candidates (rc, dev) come before their release. */
    public static int compare(String a, String b) {
        String[] x = a.split(PARTS, -1);
        String[] y = b.split(PARTS, -1);
        for (int i = 0; i < Math.max(x.length, y.length); i++) {
            int c = compareParts(i < x.length ? x[i] : "", i < y.length ? y[i] : "");
            if (c != 0) {
                return c;
            }
        }
        return 0;
    }

    private static int compareParts(String p, String q) {
        if (p.equals(q)) {
            return 0;
        }
        if (p.isEmpty() || q.isEmpty()) {
            String other = p.isEmpty() ? q : p;
            boolean candidate = other.startsWith("rc") || other.startsWith("dev");
            return p.isEmpty() == candidate ? 1 : -1;
        }
        if (p.matches("\\d{1,18}") && q.matches("\\d{1,18}")) {
            return Long.compare(Long.parseLong(p), Long.parseLong(q));
        }
        return p.compareTo(q);
    }
}
