package dev.foretoken.calibration.aiconfigurator;

import io.airlift.compress.Decompressor;
import io.airlift.compress.MalformedInputException;
import io.airlift.compress.snappy.SnappyDecompressor;
import io.airlift.compress.zstd.ZstdDecompressor;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.compression.CompressionCodecFactory;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;

/** Page decompression in pure Java for the codecs that the tables use, so that no native library is needed. */
final class Codecs implements CompressionCodecFactory {
    @Override
    public BytesInputCompressor getCompressor(CompressionCodecName codec) {
        throw new UnsupportedOperationException("tables are only read");
    }

    @Override
    public BytesInputDecompressor getDecompressor(CompressionCodecName codec) {
        return switch (codec) {
            case UNCOMPRESSED -> new Pages(null);
            case SNAPPY -> new Pages(new SnappyDecompressor());
            case ZSTD -> new Pages(new ZstdDecompressor());
            default ->
                throw new UnsupportedOperationException(
                        "compressed with " + codec + "; only snappy, zstd and plain tables are read");
        };
    }

    @Override
    public void release() {}

    private record Pages(Decompressor decompressor) implements CompressionCodecFactory.BytesInputDecompressor {
        @Override
        public BytesInput decompress(BytesInput bytes, int size) throws IOException {
            if (decompressor == null) {
                return bytes;
            }
            byte[] in = bytes.toByteArray();
            byte[] out = new byte[size];
            try {
                int written = decompressor.decompress(in, 0, in.length, out, 0, size);
                if (written != size) {
                    throw new IOException("a page holds " + written + " bytes instead of " + size);
                }
            } catch (MalformedInputException e) {
                throw new IOException("a page cannot be decompressed: " + e.getMessage(), e);
            }
            return BytesInput.from(out);
        }

        @Override
        public void decompress(ByteBuffer in, int compressedSize, ByteBuffer out, int size) throws IOException {
            byte[] bytes = new byte[compressedSize];
            in.get(bytes);
            out.put(decompress(BytesInput.from(bytes), size).toByteArray());
        }

        @Override
        public void release() {}
    }
}
