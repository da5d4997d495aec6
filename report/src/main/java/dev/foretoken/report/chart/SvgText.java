package dev.foretoken.report.chart;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the drawing library's SVG lacks: a name for screen readers, a size that scales, fonts that browsers know, fixed ids. */
final class SvgText {
    private static final Pattern FAMILY = Pattern.compile("font-family:&quot;[^&]*&quot;");
    private static final Pattern CLIP = Pattern.compile("clip-?-?[0-9]+");
    private static final String FONTS = "font-family:'DejaVu Sans',Verdana,Arial,sans-serif";

    private SvgText() {}

    /**
     * The document with title, description, role and view box.
     *
     * @param id start of the ids in the document, unique on a page that holds several
     */
    static String named(String svg, String id, String title, String description, int width, int height) {
        int root = svg.indexOf("<svg");
        if (root < 0) {
            throw new IllegalArgumentException("not an SVG document");
        }
        String head = "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" role=\"img\" aria-labelledby=\"" + id
                + "-title " + id + "-desc\" viewBox=\"0 0 " + width + " " + height + "\" width=\"" + width
                + "\" height=\""
                + height + "\" font-size=\"12px\" font-weight=\"normal\">\n<title id=\"" + id + "-title\">"
                + escape(title) + "</title>\n<desc id=\"" + id
                + "-desc\">"
                + escape(description) + "</desc>";
        String body = FAMILY.matcher(svg.substring(svg.indexOf('>', root) + 1)).replaceAll(FONTS);
        Map<String, String> clips = new LinkedHashMap<>();
        Matcher m = CLIP.matcher(body);
        StringBuilder out = new StringBuilder();
        while (m.find()) {
            m.appendReplacement(out, clips.computeIfAbsent(m.group(), k -> id + "-clip" + clips.size()));
        }
        return head + m.appendTail(out);
    }

    /** Text as XML character data or attribute value. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
