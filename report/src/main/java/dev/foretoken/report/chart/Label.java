package dev.foretoken.report.chart;

import java.awt.Color;
import java.util.List;

/** A label on its way to a free place. */
final class Label {
    private static final double HEIGHT = 16;

    final String text;
    final Color colour;
    final double x;
    final double anchorY;
    final double width;
    double y;

    Label(String text, Color colour, double x, double anchorY, double width) {
        this.text = text;
        this.colour = colour;
        this.x = x;
        this.anchorY = anchorY;
        this.width = width;
        this.y = anchorY;
    }

    /** Moves labels that touch apart, half each way, until none does or the room is used up. */
    static void spread(List<Label> labels, double top, double bottom) {
        for (int round = 0; round < 200; round++) {
            boolean moved = false;
            for (int i = 0; i < labels.size(); i++) {
                for (int j = i + 1; j < labels.size(); j++) {
                    Label a = labels.get(i);
                    Label b = labels.get(j);
                    boolean beside = a.x < b.x + b.width + 8 && b.x < a.x + a.width + 8;
                    double overlap = HEIGHT - (b.y - a.y);
                    if (beside && overlap > 0.5) {
                        a.y -= overlap / 2;
                        b.y += overlap / 2;
                        moved = true;
                    }
                }
            }
            for (Label l : labels) {
                l.y = Math.min(bottom, Math.max(top, l.y));
            }
            if (!moved) {
                return;
            }
        }
    }
}
