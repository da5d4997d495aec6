package dev.foretoken.calibration.aiconfigurator;

import java.io.ByteArrayInputStream;
import org.apache.parquet.io.DelegatingSeekableInputStream;
import org.apache.parquet.io.InputFile;
import org.apache.parquet.io.SeekableInputStream;

/** A parquet file in memory, because tables lie inside a wheel. */
final class MemoryFile implements InputFile {
    private final byte[] bytes;

    MemoryFile(byte[] bytes) {
        this.bytes = bytes;
    }

    @Override
    public long getLength() {
        return bytes.length;
    }

    @Override
    public SeekableInputStream newStream() {
        return new Stream(new Positioned(bytes));
    }

    private static final class Positioned extends ByteArrayInputStream {
        private Positioned(byte[] bytes) {
            super(bytes);
        }

        private long position() {
            return pos;
        }

        private void position(long to) {
            pos = (int) Math.max(0, Math.min(count, to));
        }
    }

    private static final class Stream extends DelegatingSeekableInputStream {
        private final Positioned in;

        private Stream(Positioned in) {
            super(in);
            this.in = in;
        }

        @Override
        public long getPos() {
            return in.position();
        }

        @Override
        public void seek(long to) {
            in.position(to);
        }
    }
}
