package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.logstore.LogScan;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;

/** With {@code --durability process} a relay's log holds every message that arrived and every delivery, in order. */
@Timeout(900)
class LogTest {
    private static final int LAPS = 20;
    private static final int PAYLOAD_BYTES = 300_000;

    @TempDir
    private Path folder;

    @Test
    void everyArrivalAndDeliveryIsLoggedBeforeItsEffect() throws Exception {
        Path data = folder.resolve("data");
        try (Relays relay = Relays.start(folder, "site-a", "--data", data.toString())) {
            Command.Result logged = Command.run(
                    folder, "run", "-n", "3", "--relay", relay.ranks(), "--durability", "process", "example:ring",
                    Integer.toString(LAPS), Integer.toString(PAYLOAD_BYTES));
            assertThat(logged.out()).contains("Verification: SUCCESSFUL");
            Command.Result unlogged = Command.run(
                    folder, "run", "-n", "2", "--relay", relay.ranks(), "--max-restarts", "5", "example:pi", "100");
            assertThat(unlogged.status()).isZero();
            assertThat(unlogged.err().strip())
                    .isEqualTo("posthouse run: no effect of --max-restarts: the job is not logged; give --durability process");
            // No goodbye: what was logged survives the process.
            ProcessHandle process = relay.command().handle();
            process.destroyForcibly();
            process.onExit().join();
        }
        List<LogRecord> records = new ArrayList<>();
        LogScan scan = MessageLog.scan(data.resolve("log"), entry -> records.add(entry.record()));
        assertThat(scan.defect()).isEmpty();
        checkOrder(records);
    }

    private static void checkOrder(List<LogRecord> records) {
        long bytes = 0;
        int arrivals = 0;
        long[] deliveries = new long[3];
        int jobs = 0;
        for (int position = 1; position <= records.size(); position++) {
            switch (records.get(position - 1)) {
                case LogRecord.Arrival arrival -> {
                    arrivals++;
                    bytes += arrival.length();
                    if (arrival.receipt() != null) {
                        assertThat(arrival.receipt().number()).isEqualTo(++deliveries[arrival.rank()]);
                    }
                }
                case LogRecord.Chunk chunk -> assertThat(chunk.arrivalPosition()).isLessThan(position);
                case LogRecord.Delivery delivery -> {
                    assertThat(delivery.receipt().number()).isEqualTo(++deliveries[delivery.rank()]);
                    assertThat(delivery.arrivalPosition()).isLessThan(position);
                }
                case LogRecord.JobOpened opened -> jobs++;
                default -> {
                    // Polls, starts and ends say nothing about deliveries.
                }
            }
        }
        assertThat(jobs).as("only the job that asked for it is logged").isEqualTo(1);
        assertThat(deliveries[0] + deliveries[1] + deliveries[2]).isEqualTo(arrivals).isGreaterThanOrEqualTo(3 * LAPS);
        assertThat(bytes).isGreaterThanOrEqualTo(3L * LAPS * PAYLOAD_BYTES);
    }

    @Tag("long")
    @Test
    void relayWithoutALogRefusesALoggedJob() throws Exception {
        try (Relays relay = Relays.start(folder, "site-a")) {
            Command.Result result =
                    Command.run(folder, "run", "-n", "2", "--relay", relay.ranks(), "--durability", "process", "example:pi");
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err().strip()).contains("NO_LOG").contains("--data").hasLineCount(1);
        }
    }
}
