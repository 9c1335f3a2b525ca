package org.posthouse.bench.names;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.bench.experiment.BenchWatch;
import org.posthouse.launch.JobRun;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.Name;
import org.posthouse.names.NameRecord;
import org.posthouse.wan.WanShape;

@Timeout(180)
class NamesBenchTest {
    private static final BenchWatch SILENT = new BenchWatch() {
        @Override
        public void onJob(JobRun job) {}

        @Override
        public void onStart(Runnable end) {}

        @Override
        public void onPhase(String what, int done, int total) {
            assertThat(done).as(what).isLessThan(total);
        }

        @Override
        public void onRemark(String what) {}
    };

    @TempDir
    private Path folder;

    @Tag("long")
    @Test
    void measuresEveryBackEnd() throws Exception {
        NamesPlan plan = new NamesPlan(List.of(NamesBackEnd.values()), List.of(10, 20, 30), List.of(1, 2, 3), 2, 0, 0, 1);
        NamesReport report = plan.run(SILENT);
        ObjectNode json = new ObjectMapper().createObjectNode();
        report.addTo(json);
        assertThat(json.get("figures")).hasSize(NamesBackEnd.values().length * 6).allSatisfy(figure -> {
            for (String key : List.of("insertSeconds", "lockedInsertSeconds", "readSeconds")) {
                assertThat(figure.get(key)).hasSize(figure.get("growing").asText().equals("payload") ? 5 : 1).allSatisfy(
                        seconds -> assertThat(seconds.asDouble()).isPositive());
            }
        });
        for (NamesBackEnd backEnd : NamesBackEnd.values()) {
            assertThat(json.get("electionSeconds").get(backEnd.word())).as(backEnd.word()).hasSize(2);
        }
        report.writePlot(folder.resolve("names.svg"));
        assertThat(Files.readString(folder.resolve("names-payload.svg"))).contains("hazelcast").contains("with locks");
    }

    /** Four calls in place of two: half the time, and each entry costs as much as the one before. */
    @Test
    void overADelayTheLinesAreStraightAndLocksCostTwice() throws Exception {
        NamesReport report = new NamesPlan(List.of(NamesBackEnd.MEMORY), List.of(100, 1_000, 2_000), List.of(2, 4, 8), 0, 10, 256, 1).run(SILENT);
        ObjectNode json = new ObjectMapper().createObjectNode();
        report.addTo(json);
        for (JsonNode line : json.get("lines")) {
            assertThat(line.get("insertSeconds").get("determination").asDouble()).as(line.toString()).isGreaterThan(0.9);
            assertThat(line.get("timesLocked").asDouble()).as(line.toString()).isBetween(0.3, 0.8);
        }
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        report.print(new PrintStream(printed, true, StandardCharsets.UTF_8));
        assertThat(printed.toString(StandardCharsets.UTF_8)).contains("10.0 ms of round trip and 256 kbit/s").contains("insert: R2")
                .doesNotContain("Elections");
    }

    @Test
    void aCallTakesTheWayThereAndBack() throws Exception {
        try (DelayedNames names = new DelayedNames(new MemoryNames(), WanShape.of(20, 0.256))) {
            long start = System.nanoTime();
            names.bind(Name.parse("a"), NameRecord.of(Map.of("v", "x".repeat(3_200)))).toCompletableFuture().get(60, TimeUnit.SECONDS);
            assertThat(System.nanoTime() - start).as("40 ms, and 3.2 kB at 32 kB/s").isGreaterThan(TimeUnit.MILLISECONDS.toNanos(140));
        }
    }

    @Test
    void numbersOutOfRangeAreRefused() {
        List<NamesBackEnd> memory = List.of(NamesBackEnd.MEMORY);
        assertThatThrownBy(() -> new NamesPlan(memory, List.of(1, 2), List.of(1, 2, 3), 0, 0, 0, 1)).hasMessage("2 different payloads, expected 3 or more");
        assertThatThrownBy(() -> new NamesPlan(memory, List.of(1, 2, 3), List.of(1, 2, 0), 0, 0, 0, 1)).hasMessage("0 entries of a batch, expected 1 to 10000");
        assertThatThrownBy(() -> NamesBackEnd.of("etcd")).hasMessage("\"etcd\" is no back end, expected one of memory, hazelcast, ldap, raft");
    }
}
