package dev.foretoken.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output whose reader may go away ({@code foretoken explore | head}): what it no longer reads is dropped quietly. */
final class ReaderGone extends FilterOutputStream {
    private volatile boolean gone;

    ReaderGone(OutputStream out) {
        super(out);
    }

    /** True once the reader has gone away. */
    boolean gone() {
        return gone;
    }

    private interface Write {
        void run() throws IOException;
    }

    private void unlessGone(Write write) throws IOException {
        if (gone) {
            return;
        }
        try {
            write.run();
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.contains("Broken pipe") && !why.contains("pipe is being closed")) {
                throw e;
            }
            gone = true;
        }
    }

    @Override
    public void write(int b) throws IOException {
        unlessGone(() -> out.write(b));
    }

    @Override
    public void write(byte[] bytes, int from, int length) throws IOException {
        unlessGone(() -> out.write(bytes, from, length));
    }

    @Override
    public void flush() throws IOException {
        unlessGone(out::flush);
    }
}
