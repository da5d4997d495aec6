package dev.foretoken.cli;

/** Exit codes that scripts rely on. */
public final class Exit {
    public static final int OK = 0;
    public static final int FAILURE = 1;
    public static final int BAD_INPUT = 2;
    public static final int OUTSIDE_TOLERANCE = 3;
    public static final int ENDPOINT = 4;
    public static final int NO_GPU = 5;
    /** What shells report of a program whose reader went away. */
    public static final int READER_GONE = 141;

    private Exit() {}
}
