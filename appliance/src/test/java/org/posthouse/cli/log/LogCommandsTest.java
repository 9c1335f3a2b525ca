package org.posthouse.cli.log;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.cli.InProcess;
import org.posthouse.logstore.FaultedLog;
import org.posthouse.logstore.LogConfig;
import org.posthouse.logstore.MessageLog;
import org.posthouse.logstore.record.LogRecord.Arrival;
import org.posthouse.logstore.record.LogRecord.Diverged;
import org.posthouse.logstore.record.LogRecord.Form;
import org.posthouse.logstore.record.LogRecord.Incarnation;
import org.posthouse.logstore.record.LogRecord.JobClosed;
import org.posthouse.logstore.record.LogRecord.JobOpened;
import org.posthouse.wire.Durability;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;

/** {@code posthouse log} in this process, over logs that are none of the usual. */
final class LogCommandsTest {
    @TempDir
    private Path folder;

    private String out;
    private String err;

    private MessageLog log(long rollBytes) {
        return MessageLog.open(new LogConfig(folder.resolve("log"), rollBytes, 0));
    }

    private static void open(MessageLog log, long job, String name, int ranks) {
        HomeRelay homeRelay = new HomeRelay("site-a", "site-a", "127.0.0.1:1");
        log.appendJobOpened(
                new JobOpened(job, ranks, Durability.PROCESS.code()), new JobOpen(job, Token.NONE, true, name, List.of(homeRelay), new int[ranks]).encode());
    }

    /** @return the status */
    private int execute(String... arguments) {
        InProcess.Result result = InProcess.run(arguments);
        out = result.out();
        err = result.err();
        return result.status();
    }

    @Test
    void largestJobOfOneNameSaysWhichRanksThereAre() {
        try (MessageLog log = log(LogConfig.DEFAULT_ROLL_BYTES)) {
            open(log, 0x11, "ring", 4);
            log.append(new Incarnation(0x11, 3, 1, Incarnation.CHOSEN, 7));
            log.append(new JobClosed(0x11, 0));
            open(log, 0x12, "ring", 2);
        }
        assertThat(execute("log", "show", "--data", folder.toString(), "--job", "ring", "--rank", "3")).as(() -> err).isZero();
        assertThat(out).hasLineCount(1).contains("incarnation 1, start 1, image 7");
        assertThat(execute("log", "show", "--data", folder.toString(), "--job", "ring", "--rank", "4")).isEqualTo(1);
        assertThat(err).contains("--rank is 4, and job ring has 4 ranks, from 0");
    }

    @Test
    void anExportOfARankBelowTheFirstIsRefused() {
        String to = folder.resolve("x").toString();
        assertThat(execute("log", "export", "11", "--rank", "-1", "--to", to, "--data", folder.toString())).isEqualTo(2);
    }

    @Test
    void anExportSaysThatTheBeginningOfItsJobIsGone() {
        ByteBuffer payload = ByteBuffer.allocate(64 << 10);
        long first;
        try (MessageLog log = log(128 << 10)) {
            open(log, 3, "weather", 4);
            for (int sequence = 1; log.rolls() < 2; sequence++) {
                log.appendArrival(
                        new Arrival(3, 1, 8, 3, 77, sequence, 6, payload.capacity(), payload.capacity(), Form.SEND, false, null), payload.duplicate());
            }
            log.append(new JobClosed(3, 0));
            log.discard(log.cut(log.position()), 0);
            first = log.firstPosition();
        }
        String to = folder.resolve("x").toString();
        assertThat(execute("log", "export", "weather", "--to", to, "--data", folder.toString())).isZero();
        assertThat(err).contains("the job's records before position " + first + " are gone from this log").hasLineCount(1);
        assertThat(execute("log", "show", "--export", to, "--job", "weather")).isEqualTo(1);
        assertThat(err).contains("has no record of a job weather; give its id");
        assertThat(execute("log", "show", "--export", to, "--job", "0000000000000003")).as(() -> err).isZero();
    }

    @Test
    void aMessageThatWasSentWithAnyTagHasThatAsItsTag() throws Exception {
        try (MessageLog log = log(LogConfig.DEFAULT_ROLL_BYTES)) {
            open(log, 3, "ring", 2);
            log.appendArrival(new Arrival(3, 1, 8, 0, Wire.SENT_WITH_ANY_TAG, 1, 6, 4, 4, Form.SEND, false, null), ByteBuffer.allocate(4));
            log.appendArrival(new Arrival(3, 1, 8, 0, 7, 2, 6, 4, 4, Form.SEND, false, null), ByteBuffer.allocate(4));
        }
        execute("log", "show", "--type", "ARRIVAL", "--data", folder.toString());
        assertThat(out.lines()).hasSize(2).first().asString().contains("tag ANY_TAG");
        execute("log", "show", "--type", "ARRIVAL", "--json", "--data", folder.toString());
        assertThat(new ObjectMapper().readTree(out).path("tag").asText()).isEqualTo("ANY_TAG");
        assertThat(new ObjectMapper().readTree(out.lines().toList().getLast()).path("tag").isInt()).isTrue();
    }

    @Test
    void jobTextIsEscapedToOneLine() throws Exception {
        try (MessageLog log = log(LogConfig.DEFAULT_ROLL_BYTES)) {
            open(log, 3, "a\nb\u001b[31mé", 1);
            log.appendDiverged(new Diverged(3, 1), ByteBuffer.wrap("one\ntwo".getBytes(StandardCharsets.UTF_8)));
        }
        execute("log", "ls", "--data", folder.toString());
        assertThat(out).hasLineCount(3).contains("  a\\u000ab\\u001b[31mé ");
        execute("log", "show", "--data", folder.toString());
        assertThat(out).hasLineCount(3).contains("name a\\u000ab\\u001b[31mé").contains("first one\\u000atwo");
        execute("log", "ls", "--json", "--data", folder.toString());
        assertThat(new ObjectMapper().readTree(out).get(0).path("name").asText()).isEqualTo("a\nb\u001b[31mé");
    }

    @Test
    void onlyTheJobThatNeedsFilesWhichAreGoneIsFaultedForThem() throws Exception {
        ByteBuffer payload = ByteBuffer.allocate(64 << 10);
        try (MessageLog log = log(128 << 10)) {
            open(log, 3, "weather", 4);
            for (int sequence = 1; log.rolls() < 2; sequence++) {
                log.appendArrival(
                        new Arrival(3, 1, 8, 3, 77, sequence, 6, payload.capacity(), payload.capacity(), Form.SEND, false, null), payload.duplicate());
            }
            open(log, 4, "ring", 2);
        }
        Path oldest = Files.list(folder.resolve("log")).filter(file -> file.toString().endsWith(".cq4")).min(Comparator.naturalOrder()).orElseThrow();
        Files.delete(oldest);
        assertThat(execute("log", "verify", "--data", folder.toString())).isEqualTo(4);
        assertThat(out).contains(": MISSING_RECORDS before them");
        assertThat(err).contains("rank 1 of job 0000000000000003 needs what is there from position", "older files are gone").hasLineCount(1);
        execute("log", "verify", "--json", "--data", folder.toString());
        assertThat(new ObjectMapper().readTree(out).path("sound").asBoolean(true)).isFalse();
        assertThat(new ObjectMapper().readTree(out).path("gone").path("kind").asText()).isEqualTo("MISSING_RECORDS");
        execute("log", "ls", "--data", folder.toString());
        assertThat(out).containsPattern("weather +4 +faulted .*older files are gone").containsPattern("ring +2 +open ");
    }

    @Test
    void aJobThatCannotGoOnFromItsRecordsIsFaulted() throws Exception {
        long at;
        try (MessageLog log = log(LogConfig.DEFAULT_ROLL_BYTES)) {
            open(log, 3, "weather", 1);
            at = FaultedLog.fault(log, 3);
        }
        execute("log", "ls", "--data", folder.toString());
        assertThat(out).containsPattern("weather +1 +faulted .* its record POLLS at position " + at + " cannot be taken");
        execute("log", "ls", "--json", "--data", folder.toString());
        assertThat(new ObjectMapper().readTree(out).get(0).path("fault").asText()).contains("position " + at);
    }
}
