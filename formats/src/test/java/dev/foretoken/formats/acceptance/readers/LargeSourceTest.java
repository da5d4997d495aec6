package dev.foretoken.formats.acceptance.readers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A generated source of 1 GB is streamed by a JVM that has 200 MB of heap. */
class LargeSourceTest {
    private static final long BYTES = 1L << 30;

    @Test
    void oneGigabyteInTwoHundredMegabytesOfHeap() throws Exception {
        Process p = new ProcessBuilder(
                        System.getProperty("java.home") + "/bin/java",
                        "-Xmx200m",
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectErrorStream(true)
                .start();
        String out = new String(p.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(p.waitFor(1, TimeUnit.MINUTES), "child did not end");
        assertEquals(0, p.exitValue(), out);
    }

    /** What the child JVM runs. */
    public static final class Child {
        private Child() {}

        public static void main(String[] args) throws IOException {
            StringBuilder block = new StringBuilder();
            String steps = "3,".repeat(4000) + "3";
            block.append("{\"id\":\"r\",\"metrics\":{\"speculative_decoding\":{\"num_spec_steps\":4001,")
                    .append("\"num_accepted_draft_tokens\":12003,\"num_draft_tokens\":12003,\"num_spec_tokens\":3,")
                    .append("\"acceptance_histogram\":[0,0,0,4001],\"per_step_accepted\":[")
                    .append(steps)
                    .append("]}}}\n");
            block.append("{\"id\":\"truncated\",\"metrics\":{\"speculative_dec\n");
            byte[] bytes = block.toString().getBytes(StandardCharsets.UTF_8);
            long blocks = BYTES / bytes.length + 1;
            AcceptanceSource source = new AcceptanceSource(
                    "generated.jsonl", () -> new Repeated(bytes, blocks * bytes.length), AcceptanceKey.UNKNOWN);
            AcceptanceReaders.Result r = AcceptanceReaders.tally(List.of(source));
            require(
                    r.counts().get(0).rounds() == 4001 * blocks,
                    "rounds " + r.counts().get(0));
            require(r.report().skippedTotal() == blocks, "skipped " + r.report().skippedTotal());
            noLineEnd();
        }

        /** The same size without a single line end: the line is cut, not kept. */
        private static void noLineEnd() throws IOException {
            byte[] bytes = "{\"num_accepted_draft_tokens\":1,".getBytes(StandardCharsets.UTF_8);
            AcceptanceSource source =
                    new AcceptanceSource("one-line.jsonl", () -> new Repeated(bytes, BYTES / 8), AcceptanceKey.UNKNOWN);
            AcceptanceReaders.Result r = AcceptanceReaders.tally(List.of(source));
            require(r.report().skippedTotal() == 1, "skipped " + r.report().skippedTotal());
        }

        private static void require(boolean condition, String message) {
            if (!condition) {
                throw new AssertionError(message);
            }
        }
    }

    /** The same bytes again and again. */
    private static final class Repeated extends InputStream {
        private final byte[] block;
        private long left;
        private int position;

        Repeated(byte[] block, long total) {
            this.block = block;
            this.left = total;
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException("read blocks");
        }

        @Override
        public int read(byte[] target, int offset, int length) {
            if (left == 0) {
                return -1;
            }
            int n = (int) Math.min(Math.min(length, left), block.length - position);
            System.arraycopy(block, position, target, offset, n);
            position = (position + n) % block.length;
            left -= n;
            return n;
        }
    }
}
