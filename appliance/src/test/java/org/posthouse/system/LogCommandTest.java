package org.posthouse.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.LogEntry;
import org.posthouse.logstore.LogExport;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.logstore.record.LogRecord.Receipt;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;

/** {@code posthouse log}, over a log of two jobs: 2 is over, 3 is open; both are of 4 ranks. In this process, but for one. */
@Timeout(900)
final class LogCommandTest {
    private static final byte[] PAYLOAD = {1, 2, 3, 4, 5};
    private static final String CLOSED = "0000000000000002";
    private static final String OPEN = "0000000000000003";

    @TempDir
    private Path folder;

    private Path data;

    @BeforeEach
    void write() {
        data = folder.resolve("data");
        try (MessageLog log = MessageLog.open(new LogConfig(data.resolve("log"), LogConfig.DEFAULT_ROLL_BYTES, 0))) {
            for (long job = 2; job <= 3; job++) {
                log.appendJobOpened(new JobOpened(job, 4, Durability.PROCESS.code()), opening(job));
                log.append(new Incarnation(job, 1, 1, 0, 0));
                log.appendArrival(
                        new Arrival(job, 1, 8, 3, 77, 1, 6, PAYLOAD.length, PAYLOAD.length, Form.SEND, false, new Receipt(1, 1, 1)),
                        ByteBuffer.wrap(PAYLOAD));
            }
            log.append(new JobClosed(2, 5));
        }
    }

    private static ByteBuffer opening(long job) {
        HomeRelay homeRelay = new HomeRelay("site-a", "site-a", "127.0.0.1:1");
        return new JobOpen(job, Token.NONE, true, "weather-" + job, List.of(homeRelay), new int[4]).encode();
    }

    private static InProcess.Result log(String... arguments) {
        List<String> all = new ArrayList<>(List.of("log"));
        all.addAll(List.of(arguments));
        return InProcess.run(all.toArray(String[]::new));
    }

    /** Of a job whose opening was cut, the snapshot that the log begins with has the name. */
    @Test
    void aJobIsFoundByItsNameInALogThatWasCut() throws Exception {
        ByteBuffer payload = ByteBuffer.allocate(64 << 10);
        try (MessageLog log = MessageLog.open(new LogConfig(data.resolve("log"), 128 << 10, 0))) {
            for (int sequence = 2; log.rolls() < 2; sequence++) {
                log.appendArrival(new Arrival(3, 1, 8, 3, 77, sequence, 6, payload.capacity(), payload.capacity(), Form.SEND, false, null), payload);
            }
            log.discard(log.cut(log.position()), 0);
            log.append(new JobClosed(3, 0));
        }
        assertThat(log("ls", "--data", data.toString()).out()).containsPattern("\n" + OPEN + "  weather-3 +4 +closed 0 ");
        String to = folder.resolve("job.phx").toString();
        InProcess.Result export = log("export", "weather-3", "--rank", "1", "--to", to, "--data", data.toString());
        assertThat(export.status()).as(export.err()).isZero();
        assertThat(export.out()).contains(" records of job " + OPEN);
        assertThat(log("export", "weather-3", "--rank", "4", "--to", to, "--data", data.toString()).err()).contains("has 4 ranks, from 0");
        InProcess.Result show = log("show", "--job", "weather-3", "--count", "1", "--data", data.toString());
        assertThat(show.status()).as(show.err()).isZero();
        assertThat(show.out()).contains(OPEN);
    }

    @Test
    void lsTellsOfEachJobWhetherItIsOpenAndHowMuchItHas() throws Exception {
        InProcess.Result people = log("ls", "--data", data.toString());
        assertThat(people.status()).as(people.err()).isZero();
        assertThat(people.out().lines().toList()).hasSize(4);
        assertThat(people.out())
                .containsPattern(CLOSED + " +weather-2 +4 +closed 5 +4 .* 2-8 ")
                .containsPattern(OPEN + " +weather-3 +4 +open +3 .* 5-7 +1: 1, 1");
        JsonNode jobs = new ObjectMapper().readTree(log("ls", "--json", "--data", data.toString()).out());
        assertThat(jobs).hasSize(2);
        assertThat(jobs.get(0).path("status").asInt()).isEqualTo(5);
        assertThat(jobs.get(1).path("name").asText()).isEqualTo("weather-3");
        assertThat(jobs.get(1).path("ranksHere").get(0).path("deliveries").asInt()).isEqualTo(1);
    }

    @Test
    void showPicksRecordsByJobRankTypeAndPosition() throws Exception {
        InProcess.Result all = log("show", "--data", data.toString());
        assertThat(all.out().lines()).hasSize(8);
        InProcess.Result one = log(
                "show", "--data", data.toString(), "--job", "weather-3", "--rank", "1", "--type", "arrival", "--json", "--payload");
        assertThat(one.out().lines()).hasSize(1);
        JsonNode record = new ObjectMapper().readTree(one.out());
        assertThat(record.path("position").asLong()).isEqualTo(7);
        assertThat(record.path("job").asText()).isEqualTo(OPEN);
        assertThat(record.path("tag").asInt()).isEqualTo(77);
        assertThat(record.path("receive").asInt()).isEqualTo(1);
        assertThat(record.path("payload").asText()).isEqualTo(HexFormat.of().formatHex(PAYLOAD));
        InProcess.Result some = log("show", "--data", data.toString(), "--from", "3", "--count", "2");
        assertThat(some.out().lines()).hasSize(2).first().asString().contains(" INCARNATION ");
    }

    @Test
    void verifySaysWhereAFlippedByteAndATornTailAre() throws Exception {
        InProcess.Result sound = log("verify", "--data", data.toString());
        assertThat(sound.status()).as(sound.err()).isZero();
        assertThat(sound.out()).contains("8 whole records").contains(": sound");

        LogEntry last = entries().getLast();
        overwrite(last, 48 + 8, 1);
        InProcess.Result torn = log("verify", "--data", data.toString());
        assertThat(torn.status()).isEqualTo(3);
        assertThat(torn.err()).contains("TORN_TAIL").contains("position 9").doesNotContain("writes this log now");

        LogEntry arrival = entries().get(3);
        overwrite(arrival, 50, 0x7f);
        InProcess.Result flipped = log("verify", "--json", "--data", data.toString());
        assertThat(flipped.status()).isEqualTo(4);
        assertThat(flipped.err()).contains("FLIPPED_BYTE").contains(arrival.file().toString()).contains("position 4");
        JsonNode defect = new ObjectMapper().readTree(flipped.out()).path("defect");
        assertThat(defect.path("position").asLong()).isEqualTo(4);
        assertThat(defect.path("offset").asLong()).isEqualTo(arrival.offset() - 4);
    }

    @Test
    void exportIsReadByShow() throws Exception {
        Path file = folder.resolve("weather.phx");
        InProcess.Result export = log("export", "weather-2", "--rank", "1", "--to", file.toString(), "--data", data.toString());
        assertThat(export.status()).as(export.err()).isZero();
        assertThat(export.out()).contains("4 records of job " + CLOSED);
        List<LogRecord> records = new ArrayList<>();
        LogExport.read(file, entry -> records.add(entry.record()));
        assertThat(records).hasSize(4).allMatch(record -> record.job() == 2);
        InProcess.Result shown = log("show", "--export", file.toString(), "--type", "JOB_CLOSED");
        assertThat(shown.out()).hasLineCount(1).contains("status 5");
        InProcess.Result unknown = log("export", "waether", "--to", file.toString(), "--data", data.toString());
        assertThat(unknown.status()).isEqualTo(1);
        assertThat(unknown.err()).contains("no record of a job waether").hasLineCount(1);
        InProcess.Result unknownShown = log("show", "--job", "waether", "--data", data.toString());
        assertThat(unknownShown.status()).isEqualTo(1);
        assertThat(unknownShown.err()).contains("no record of a job waether").hasLineCount(1);
        InProcess.Result beyond = log("export", "weather-2", "--rank", "4", "--to", file.toString(), "--data", data.toString());
        assertThat(beyond.status()).isEqualTo(1);
        assertThat(beyond.err()).contains("--rank is 4, and job weather-2 has 4 ranks, from 0").hasLineCount(1);
        InProcess.Result elsewhere = log("export", "weather-2", "--rank", "2", "--to", folder.resolve("none.phx").toString(), "--data", data.toString());
        assertThat(elsewhere.status()).isEqualTo(1);
        assertThat(elsewhere.err()).contains("has no record of rank 2 of job weather-2").hasLineCount(1);
        assertThat(folder.resolve("none.phx")).doesNotExist();
        InProcess.Result shownBeyond = log("show", "--job", "weather-2", "--rank", "4", "--data", data.toString());
        assertThat(shownBeyond.err()).contains("--rank is 4, and job weather-2 has 4 ranks, from 0").hasLineCount(1);
        InProcess.Result nowhere = log("export", "weather-2", "--to", folder.resolve("no/file").toString(), "--data", data.toString());
        assertThat(nowhere.err()).contains("there is no folder " + folder.resolve("no"));
    }

    @Test
    void aFolderWithoutALogIsNamed() throws Exception {
        Path empty = Files.createDirectory(folder.resolve("empty"));
        Command.Result result = Command.run(folder, "log", "verify", "--data", empty.toString());
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.err()).contains("there is no log in " + empty).hasLineCount(1);
    }

    /** As behind {@code | head}: what is damaged stands further on than anybody reads. */
    @Test
    void whereNobodyReadsTheRestOfTheLogIsNotRead() throws Exception {
        overwrite(entries().getLast(), 48 + 8, 1);
        List<String> full = List.of("sh", "-c", "exec \"$@\" >/dev/full", "sh");
        try (Command command = Command.startBehind(folder, full, List.of(), "log", "show", "--data", data.toString())) {
            Command.Result result = command.await();
            assertThat(result.err()).isEmpty();
            assertThat(result.status()).as("not all was shown").isEqualTo(1);
        }
    }

    private List<LogEntry> entries() {
        List<LogEntry> entries = new ArrayList<>();
        MessageLog.scan(data.resolve("log"), entries::add);
        return entries;
    }

    /** Behind a record's end, or in its payload. */
    private static void overwrite(LogEntry entry, long offset, int value) throws Exception {
        try (RandomAccessFile file = new RandomAccessFile(entry.file().toFile(), "rw")) {
            file.seek(entry.offset() + offset);
            file.write(value);
        }
    }
}
