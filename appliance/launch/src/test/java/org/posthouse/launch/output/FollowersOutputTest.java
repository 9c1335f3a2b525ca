package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What processes print that follow their rank's leader, and lead after it. */
class FollowersOutputTest {
    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final OutputScreen outputScreen = new OutputScreen(shown, true, true, System::nanoTime, why -> {});
    private final OutputScreen.Lane lane = outputScreen.lane("[3] ");
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final OutputJournal tape = new OutputJournal("standard output", List.of("rank 3: the relay at "), new NotedWatcher(told));

    @AfterEach
    void close() {
        tape.close();
    }

    /** A process that prints on. */
    private final class Printer {
        private final PipedOutputStream stream = new PipedOutputStream();
        private final OutputPump pump;

        Printer(int process, boolean follows) throws IOException {
            pump = OutputPump.start("test", new PipedInputStream(stream, 1 << 16), lane, tape, process, follows, 7, StreamProgress.NONE, told::add);
        }

        Printer print(String text) throws IOException {
            stream.write(text.getBytes(StandardCharsets.UTF_8));
            stream.flush();
            return this;
        }

        /** Its output up to here was taken. */
        OutputPump end() throws Exception {
            stream.close();
            pump.await();
            return pump;
        }
    }

    private String shown() {
        outputScreen.awaitWritten();
        return shown.toString(StandardCharsets.UTF_8);
    }

    private static String tagged(String... lines) {
        return Arrays.stream(lines).map(line -> "[3] " + line + "\n").collect(Collectors.joining());
    }

    @Test
    void nothingOfAFollowerIsShownTwice() throws Exception {
        Printer leader = new Printer(1, false).print("one\ntwo\n");
        Printer follower = new Printer(2, true).print("one\n");
        leader.end();
        follower.pump.lead();
        follower.print("two\nthree\n").end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two", "three"));
        assertThat(told).isEmpty();
    }

    @Test
    void aFollowerThatIsAheadShowsItsLinesWhenItLeads() throws Exception {
        Printer leader = new Printer(1, false).print("one\n");
        Printer follower = new Printer(2, true).print("one\ntwo\nthree\n");
        leader.end();
        assertThat(shown()).isEqualTo(tagged("one"));
        follower.pump.lead();
        follower.print("four\n").end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two", "three", "four"));
        assertThat(told).isEmpty();
    }

    /** Its leader was killed before it had printed as much. */
    @Test
    void aFollowerThatHasEndedWithinALineShowsItWhenItLeads() throws Exception {
        Printer leader = new Printer(1, false).print("one\ntw");
        Printer follower = new Printer(2, true).print("one\ntwo");
        leader.end();
        follower.stream.close();
        CompletableFuture<Void> passedOn = passedOn(follower);
        assertThatThrownBy(() -> passedOn.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        follower.pump.lead();
        passedOn.get(10, TimeUnit.SECONDS);
        follower.end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two"));
        assertThat(told).isEmpty();
    }

    @Test
    void outputOfAFollowerThatHasEndedWithinALineIsPassedOnOnceItsLeaderHasEndedThere() throws Exception {
        Printer leader = new Printer(1, false).print("one\ntwo");
        Printer follower = new Printer(2, true).print("one\ntwo");
        follower.stream.close();
        CompletableFuture<Void> passedOn = passedOn(follower);
        assertThatThrownBy(() -> passedOn.get(300, TimeUnit.MILLISECONDS)).isInstanceOf(TimeoutException.class);
        leader.stream.close();
        passedOn.get(10, TimeUnit.SECONDS);
    }

    private static CompletableFuture<Void> passedOn(Printer follower) {
        return CompletableFuture.runAsync(() -> {
            try {
                follower.pump.awaitFollowed();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** It was fenced, and what it still prints its successor prints. */
    @Test
    void nothingOfTheOldLeaderIsShownAnyMore() throws Exception {
        Printer leader = new Printer(1, false).print("one\n");
        Printer follower = new Printer(2, true);
        follower.pump.lead();
        leader.print("two\n").end();
        follower.print("one\ntwo\n").end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two"));
    }

    @Test
    void followersAreReadAsTheirLeaderGoes() throws Exception {
        Printer leader = new Printer(1, false);
        Printer first = new Printer(2, true);
        Printer second = new Printer(3, true);
        String line = "x".repeat(1_000) + "\n";
        for (int i = 0; i < 500; i++) { // More than fits into pipes.
            leader.print(line);
            first.print(line);
            second.print(line);
        }
        leader.end();
        first.end();
        second.end();
        assertThat(shown()).isEqualTo(("[3] " + line).repeat(500));
        assertThat(told).isEmpty();
    }

    @Test
    void aFollowerThatEndsAheadOfItsLeaderHoldsNobodyUp() throws Exception {
        Printer leader = new Printer(1, false);
        new Printer(2, true).print("one\ntwo\n").end();
        leader.print("one\n").end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one"));
        assertThat(told).isEmpty();
    }

    @Test
    void whatAFollowerPrintedThatItsLeaderDidNotMaySayWhyItEnded() throws Exception {
        new Printer(1, false).print("one\ntwo\n").end();
        Printer follower = new Printer(2, true).print("one\n[0.123s][warning][os] none of the program\ntwo\nException: no fft\n\tat Main\n");
        assertThat(follower.end().words()).isEqualTo("Exception: no fft");
        Printer cut = new Printer(4, true).print("one\ntwo\n");
        assertThat(cut.end().words()).as("nothing that the leader did not print").isEmpty();
        Printer refused = new Printer(6, true).print("one\ntwo\nstack\nrank 3: the relay at 127.0.0.1:1 refuses it\n");
        assertThat(refused.end().words()).as("its library knows best").isEqualTo("rank 3: the relay at 127.0.0.1:1 refuses it");
        assertThat(told).isEmpty();
    }

    /** A node reports that a process has ended when its output was read. */
    @Test
    void outputOfAFollowerThatWasDroppedIsReadToItsEnd() throws Exception {
        new Printer(1, false).print("one\n").end();
        Printer follower = new Printer(2, true);
        follower.print("one\ntwo\n");
        follower.pump.drop();
        String line = "x".repeat(1_000) + "\n";
        for (int i = 0; i < 500; i++) { // More than fits into pipes.
            follower.print(line);
        }
        assertThat(follower.end().words()).isEqualTo("two");
        assertThat(shown()).isEqualTo(tagged("one"));
    }

    @Test
    void aDifferenceIsToldOnceAndDoesNotStopTheFollower() throws Exception {
        Printer leader = new Printer(1, false).print("one\ntwo\nthree\n");
        leader.end();
        Printer follower = new Printer(2, true).print("one\nTWO\nTwo\nthree\nfour\n");
        follower.pump.lead();
        follower.end().finish(true);
        assertThat(shown()).startsWith(tagged("one", "two", "three")).endsWith(tagged("four"));
        assertThat(told).hasSize(1).first().asString().contains("byte 4, line 2: \"TWO\", and before \"two\"");
    }

    @Test
    void warningsOfItsJvmAreNoDifference() throws Exception {
        new Printer(1, false).print("one\n").end();
        Printer follower = new Printer(2, true).print("[0.123s][warning][os] none of the program\none\n");
        follower.end();
        assertThat(shown()).isEqualTo(tagged("one"));
        assertThat(told).isEmpty();
    }

    /** Its predecessor is dead, and no follower was left. */
    @Test
    void aProcessThatIsStartedAgainIsComparedFromTheBeginning() throws Exception {
        new Printer(1, false).print("one\ntwo\n").end();
        Printer follower = new Printer(2, true).print("one\n");
        follower.pump.lead();
        follower.end();
        new Printer(4, false).print("one\ntwo\nthree\n").end().finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two", "three"));
        assertThat(told).isEmpty();
    }
}
