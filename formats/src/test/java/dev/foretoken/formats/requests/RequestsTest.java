package dev.foretoken.formats.requests;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RequestsTest {
    @TempDir
    Path folder;

    @Test
    void writesWhatBecameOfRequestsAndLeavesTheUnknownEmpty() throws IOException {
        Path file = folder.resolve("requests.csv");
        RequestsFile.write(file, rows -> {
            rows.add(new RequestRow(0, 512, 100, "code", 0.5, 120.25, 9.75, 1085.5, 40, 60));
            rows.add(new RequestRow(0.1, 8, 1, "a, \"b\"", null, 20.0, null, 20.0, 0, null));
        });
        assertEquals("""
                arrival_s,isl,osl,workload,queue_ms,ttft_ms,tpot_ms,e2e_ms,rounds,accepted
                0.0,512,100,code,0.5,120.25,9.75,1085.5,40,60
                0.1,8,1,"a, ""b\""",,20.0,,20.0,0,
                """, Files.readString(file));
    }

    @Test
    void refusesFiguresThatAreNone() {
        assertThrows(
                IllegalArgumentException.class,
                () -> new RequestRow(0, 1, 1, null, null, Double.NaN, null, null, null, null));
        assertThrows(
                IllegalArgumentException.class,
                () -> new RequestRow(0, 1, 1, null, null, null, -1.0, null, null, null));
    }

    @Test
    void readsPrefixHitsAndAByteOrderMark() throws IOException {
        Path file = folder.resolve("trace.csv");
        Files.writeString(file, "\uFEFFosl,isl,arrival_s,cached_tokens\r\n5,10,0.5,4\r\n\r\n6,11,0.5,\r\n");
        try (TraceFile.Rows rows = TraceFile.open(file, Set.of())) {
            assertEquals(new TraceRow(0.5, 10, 5, null, 4), rows.next());
            assertEquals(new TraceRow(0.5, 11, 6, null, null), rows.next());
            assertEquals(false, rows.hasNext());
        }
    }
}
