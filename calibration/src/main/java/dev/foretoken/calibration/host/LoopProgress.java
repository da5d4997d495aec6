package dev.foretoken.calibration.host;

/** Told how far a loop is. */
public interface LoopProgress {
    /** Tells nobody. */
    LoopProgress NONE = new LoopProgress() {
        @Override
        public void stage(String what) {}

        @Override
        public void done(long done, long total) {}
    };

    /** What is being done now, a phrase. */
    void stage(String what);

    /** Work done so far, in units that take about equally long. */
    void done(long done, long total);
}
