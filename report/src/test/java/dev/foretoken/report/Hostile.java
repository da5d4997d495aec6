package dev.foretoken.report;

/** A name that means something to HTML, LaTeX, shells, spreadsheets and terminals, turns direction, and is long. */
public final class Hostile {
    public static final String NAME =
            "=<script>alert(1)</script>'\"&amp;]]>\\input{/etc/passwd}\\end{document}$x^2_%&#~`$(rm -rf)`"
                    + ";|\u001b[31m\u202eevil\u2066 \n שלום 漢字 \ud83d\ude00 " + "verylong".repeat(60);

    private Hostile() {}
}
