package org.posthouse.launch.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.posthouse.wire.PrintMark;

/** What ranks print is shown once, however often they are started again; where they print something else, it is told. */
@Timeout(120)
class OutputJournalTest {
    private static final long SECRET = 0x1234_5678_9abc_def0L;

    private final ByteArrayOutputStream shown = new ByteArrayOutputStream();
    private final OutputScreen outputScreen = new OutputScreen(shown, true, false, System::nanoTime, why -> {});
    private OutputScreen.Lane lane = outputScreen.lane("[3] ");
    private final List<String> told = new ArrayList<>();
    private final NotedWatcher watcher = new NotedWatcher(told);
    private final List<String> last = watcher.last;
    private final Map<Long, OutputMarks.Place> places = watcher.places;
    private OutputJournalBytes bytes = new OutputJournalBytes();
    private OutputJournal tape = tape("rank 3: the relay at ");

    @TempDir
    private Path folder;

    @AfterEach
    void close() {
        tape.close();
    }

    /** A process that prints these bytes and ends. */
    private OutputPump process(int incarnation, String printed) throws Exception {
        PipedOutputStream process = new PipedOutputStream();
        OutputPump pump = start(incarnation, process);
        process.write(printed.getBytes(StandardCharsets.UTF_8));
        process.close();
        pump.await();
        return pump;
    }

    private OutputPump start(int incarnation, PipedOutputStream process) throws IOException {
        return OutputPump.start("test", new PipedInputStream(process), lane, tape, incarnation, false, SECRET, StreamProgress.NONE, told::add);
    }

    /** What a process sets where it takes an image. */
    private static String mark(long number, long process) {
        return new String(new PrintMark(false, number, process).encode(SECRET), StandardCharsets.US_ASCII);
    }

    private static String mark(long number) {
        return mark(number, 0);
    }

    /** What a process sets at the end of its prologue, which goes on there. */
    private static String goesOn(long mark) {
        return new String(new PrintMark(true, mark, 0).encode(SECRET), StandardCharsets.US_ASCII);
    }

    private String shown() {
        outputScreen.awaitWritten();
        return shown.toString(StandardCharsets.UTF_8);
    }

    private static String tagged(String... lines) {
        return Arrays.stream(lines).map(line -> "[3] " + line + "\n").collect(Collectors.joining());
    }

    @Test
    void restartedRankShowsOnlyNewOutput() throws Exception {
        process(1, "one\ntwo\n");
        process(2, "one\n");
        process(3, "one\ntwo\nthree\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two", "three"));
        assertThat(told).isEmpty();
    }

    @Test
    void successorCompletesPartialLineOfItsPredecessor() throws Exception {
        process(1, "one\ntw");
        assertThat(shown()).as("a prompt, perhaps").isEqualTo(tagged("one") + "[3] tw");
        process(2, "one\ntwo\nthr").finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two") + "[3] thr");
        assertThat(told).isEmpty();
    }

    @Test
    void partialLineThatSuccessorPrintsDifferentlyIsEndedAndReported() throws Exception {
        process(1, "one\ntw");
        process(2, "one\nthree\nfour\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "tw", "three", "four"));
        assertThat(told).containsExactly("printed something else when it was started again, on standard output, byte 5, line 2: \"three\", and before \"tw\"");
    }

    @Test
    void halfALineThatMayBeTheJvmsIsNotShown() throws Exception {
        for (String half : List.of("#", "[0.0", "2026-11-2", "Full thr", "rank 3: the rel", "Error")) {
            process(1, half);
            assertThat(shown()).as(half).isEmpty();
            nextLauncher();
        }
    }

    @Test
    void jvmStartupErrorIsNotComparedAsRankOutput() throws Exception {
        process(1, "one\n");
        process(2, "Error occurred during initialization of VM\nCould not reserve enough space for 4194304 KB object heap\n");
        process(3, "one\ntwo\n").finish(true);
        assertThat(shown()).isEqualTo(tagged(
                "one", "Error occurred during initialization of VM", "Could not reserve enough space for 4194304 KB object heap", "two"));
        assertThat(told).isEmpty();
        assertThat(last).last().isEqualTo("Could not reserve enough space for 4194304 KB object heap");
    }

    @Test
    void whereItFailedIsNotWhyItCannotStart() throws Exception {
        process(1, "Error occurred during initialization of VM\njava.lang.Error: no current folder\n\tat java.lang.System.initPhase1(System.java)\n\n");
        assertThat(last).last().isEqualTo("java.lang.Error: no current folder");
    }

    @Test
    void halfALineIsShownWhenNobodyFollows() throws Exception {
        OutputPump last = process(1, "one\ntw");
        last.finish(false);
        last.finish(false);
        assertThat(shown()).isEqualTo(tagged("one") + "[3] tw");
    }

    @Test
    void halfALineOfAnEarlierProcessIsShownIfNoLaterOneCameAsFar() throws Exception {
        process(1, "one\ntwo");
        process(2, "one\ntw");
        process(3, "on").finish(false);
        assertThat(shown()).isEqualTo(tagged("one") + "[3] two");
        assertThat(told).isEmpty();
    }

    @Test
    void differingLineIsShownAndFirstDifferenceReported() throws Exception {
        process(1, "begin\ntook 9.9 s\nmiddle\nend\n");
        process(2, "begin\ntook 10.1 s\nanother\nend\nafter\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("begin", "took 9.9 s", "middle", "end", "took 10.1 s", "another", "after"));
        assertThat(told)
                .containsExactly("printed something else when it was started again, on standard output, byte 11, line 2:"
                        + " \"took 10.1 s\", and before \"took 9.9 s\"");
    }

    @Test
    void aLineThatOnlyBeginsLikeTheOldOneDiffers() throws Exception {
        process(1, "a\nb\n");
        process(2, "a\nb and more\nc\n");
        assertThat(shown()).isEqualTo(tagged("a", "b", "b and more", "c"));
        assertThat(told).hasSize(1).first().asString().contains("byte 3, line 2: \"b and more\", and before \"b\"");
    }

    @Test
    void everyProcessIsComparedAnew() throws Exception {
        process(1, "a\n");
        process(2, "b\n");
        process(3, "c\n");
        assertThat(shown()).isEqualTo(tagged("a", "b", "c"));
        assertThat(told).hasSize(2);
    }

    @Test
    void noTwoLinesAreSwallowedForOne() throws Exception {
        process(1, "a\nok\nb\nok\n");
        process(2, "new\nok\nok\nok\nc\n");
        assertThat(shown()).isEqualTo(tagged("a", "ok", "b", "ok", "new", "ok", "c"));
        assertThat(told).hasSize(1);
    }

    @Test
    void halfALineIsNotLostWhereALineDiffers() throws Exception {
        process(1, "a\nhalf of it");
        process(2, "b\n").finish(false);
        assertThat(shown()).isEqualTo(tagged("a", "half of it", "b") + "[3] half of it");
    }

    /** Each on a tape in memory, and on one in a file. */
    @Test
    void jvmCrashReportIsNotComparedAsRankOutput() throws Exception {
        for (int round = 0; round < 2; round++) {
            process(1, "one\n#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n#  SIGSEGV (0xb)\n");
            process(2, "one\n#\nthree\n").finish(true);
            assertThat(shown()).isEqualTo(tagged(
                    "one", "#", "# A fatal error has been detected by the Java Runtime Environment:", "#", "#  SIGSEGV (0xb)", "#", "three"));
            shown.reset();
            nextLauncher();
        }
        assertThat(told).isEmpty();
        assertThat(folder.resolve("rank-3.out")).hasContent("one\n#\nthree\n");
    }

    @Test
    void theThreadsThatAJvmListsAreNoOutputOfTheRank() throws Exception {
        String dump =
                "2026-11-26 09:08:43\nFull thread dump OpenJDK 64-Bit Server VM (25.0.3+9-LTS mixed mode, sharing):\n\n\"main\" #1\n\nHeap\n DefNew     total\n\n";
        process(1, "one\n" + dump + "two\n");
        process(2, "one\ntwo\n" + dump + "three\n").finish(true);
        assertThat(told).isEmpty();
        assertThat(shown()).endsWith(tagged("", "three")).containsOnlyOnce("] two\n");
        assertThat(shown().split("Full thread dump", -1)).hasSize(3);
    }

    @Test
    void aRankThatEndsWellBeforeItHasPrintedAllAgainDiffers() throws Exception {
        process(1, "one\ntwo\n");
        OutputPump last = process(2, "one\n");
        last.finish(true);
        last.finish(true);
        assertThat(told)
                .containsExactly("printed less when it was started again: standard output ends at byte 4 of 8, line 1 of 2");
    }

    /** It calls a hook, and goes on. */
    @Test
    void outOfMemoryHookTextIsNotRankOutput() throws Exception {
        String hook =
                "#\n# java.lang.OutOfMemoryError: Java heap space\n# -XX:OnOutOfMemoryError=\"" + "x".repeat(300) + "\"\n#   Executing /bin/sh -c \"x\"...\n";
        process(1, "one\n" + hook + "two\n");
        process(2, "one\ntwo\n" + hook + hook + "three\n").finish(true);
        assertThat(shown().replaceAll("(?m)^\\[3] #.*\n", "")).isEqualTo(tagged("one", "two", "three"));
        assertThat(shown().split("Executing", -1)).hasSize(4);
        assertThat(told).isEmpty();
    }

    /** With the time since it was started, which is another one each time. */
    @Test
    void jvmLogLinesAreNotRankOutput() throws Exception {
        process(1, "[0.010s][warning][cds] The shared archive file has a bad magic number\none\n[0.1s] step\n");
        process(2, "[0.012s][warning][cds] The shared archive file has a bad magic number\none\n[12.345s][info   ][gc,start] GC(0)\n[0.1s] step\ntwo\n")
                .finish(true);
        assertThat(shown().replaceAll("(?m)^\\[3] .*\\]\\[.*\n", "")).isEqualTo(tagged("one", "[0.1s] step", "two"));
        assertThat(shown().split("magic", -1)).hasSize(3);
        assertThat(told).isEmpty();
    }

    /** As {@code -agentlib:jdwp=…,address=127.0.0.1:0} has it: ranks of one host cannot have one port. */
    @Test
    void whereADebuggerFindsAJvmIsNoOutputOfTheRank() throws Exception {
        process(1, "Listening for transport dt_socket at address: 60757\none\n");
        process(2, "Listening for transport dt_socket at address: 56833\none\ntwo\n").finish(true);
        assertThat(shown()).contains("60757", "56833");
        assertThat(shown().replaceAll(".*Listening.*\n", "")).isEqualTo(tagged("one", "two"));
        assertThat(told).isEmpty();
    }

    @Test
    void aRankThatIsKilledBeforeItHasPrintedAllAgainDoesNot() throws Exception {
        process(1, "one\ntwo\n");
        process(2, "one\nt").finish(false);
        assertThat(told).isEmpty();
        assertThat(shown()).isEqualTo(tagged("one", "two"));
    }

    @Test
    void libraryExitMessageIsShownButNotExpectedAgain() throws Exception {
        process(1, "one\nrank 3: the relay at h:1 closed the connection\n");
        process(2, "one\nrank 3: the relay at h:1 closed the connection again\n");
        process(3, "one\ntwo\n").finish(true);
        assertThat(shown()).isEqualTo(tagged(
                "one", "rank 3: the relay at h:1 closed the connection", "rank 3: the relay at h:1 closed the connection again",
                "two"));
        assertThat(told).isEmpty();
        assertThat(last).containsExactly(
                "rank 3: the relay at h:1 closed the connection", "rank 3: the relay at h:1 closed the connection again");
    }

    @Test
    void aProcessThatWasReplacedShowsNothingAnyMore() throws Exception {
        PipedOutputStream old = new PipedOutputStream();
        OutputPump stuck = start(1, old);
        process(2, "one\n");
        old.write("one\ntwo\n".getBytes(StandardCharsets.UTF_8));
        old.close();
        stuck.await();
        assertThat(shown()).isEqualTo(tagged("one"));
        process(3, "one\ntwo\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("one", "two"));
        assertThat(told).isEmpty();
    }

    @Test
    void aLongLineHasOneTagAndNothingInIt() throws Exception {
        String line = "äöü€".repeat(40_000);
        process(1, line);
        process(2, line + "y\nnext\n").finish(true);
        assertThat(told).isEmpty();
        assertThat(shown()).isEqualTo(tagged(line + "y", "next"));
    }

    @Test
    void comparesOutputLargerThanMemory() throws Exception {
        Random random = new Random(11);
        List<String> lines = IntStream.range(0, 20_000)
                .mapToObj(line -> line + " " + "z".repeat(random.nextInt(200)))
                .toList();
        for (int incarnation = 1; incarnation <= 4; incarnation++) {
            String all = String.join("\n", lines.subList(0, incarnation * 5_000)) + "\n";
            process(incarnation, all.substring(0, all.length() - (incarnation < 4 ? random.nextInt(200_000) : 0)));
        }
        assertThat(told).isEmpty();
        assertThat(shown()).isEqualTo(tagged(lines.toArray(String[]::new)));
        String changed = String.join("\n", lines).replace("\n12345 ", "\n12345+") + "\n";
        process(5, changed).finish(true);
        assertThat(told).hasSize(1).first().asString().contains("byte " + (changed.indexOf("12345+") + 5) + ", line 12346:");
        assertThat(shown()).isEqualTo(tagged(lines.toArray(String[]::new)) + "[3] " + lines.get(12_345).replace("12345 ", "12345+") + "\n");
    }

    @Test
    void leavesNoFileEvenWhileItHasOne() throws Exception {
        Path temporary = Path.of(System.getProperty("java.io.tmpdir"));
        process(1, ("x".repeat(99) + "\n").repeat(5_000));
        try (var files = Files.list(temporary)) {
            assertThat(files.map(file -> file.getFileName().toString())).noneMatch(name -> name.endsWith(".tape"));
        }
    }

    @Test
    void unreadableJournalIsReportedAndRankContinues() throws Exception {
        String printed = ("x".repeat(99) + "\n").repeat(5_000);
        process(1, printed);
        bytes.close(); // What a disk does that fails.
        process(2, printed + "new\n").finish(true);
        assertThat(told).hasSize(1).first().asString().startsWith("broken: ");
        assertThat(shown()).isEqualTo(tagged("x".repeat(99)).repeat(5_000) + tagged("new"));
    }

    private OutputJournal tape(String... lastWords) {
        try {
            return OutputJournal.of(bytes, "standard output", List.of(lastWords), watcher);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Another launcher reads what the one before has kept, and where its marks are; nothing tells it what of it was shown. */
    private void nextLauncher() throws IOException {
        outputScreen.awaitWritten(); // The next one has a screen of its own, and lanes of one screen take turns.
        tape.close();
        bytes = new OutputJournalBytes(folder.resolve("rank-3.out"), true);
        tape = tape("rank 3: the relay at ");
        places.forEach(tape.marks()::place);
        lane.end();
        lane = outputScreen.lane("[3] ");
    }

    @Test
    void nextLauncherDoesNotRepeatStoredOutput() throws Exception {
        String piece = "x".repeat(OutputPump.LINE_BYTES_MAX + 1);
        nextLauncher();
        process(1, "one\n" + piece + "y\nhal");
        nextLauncher();
        process(2, "one\n" + piece + "y\nhalf\nlast");
        nextLauncher();
        process(3, "one\n" + piece + "y\nhalf\nlast").finish(true);
        assertThat(shown()).as("half a line is shown again by the next launcher, whole")
                .isEqualTo(tagged("one", piece + "y", "hal", "half", "last") + "[3] last");
        assertThat(told).isEmpty();
        assertThat(folder.resolve("rank-3.out")).hasContent("one\n" + piece + "y\nhalf\nlast");
    }

    @Test
    void aLineThatWasCutShortInTheFileIsNotOnTheTape() throws Exception {
        Files.writeString(folder.resolve("rank-3.out"), "one\ntwo, more than is printed");
        nextLauncher();
        process(2, "one\ntwo\nthree\n");
        assertThat(shown()).isEqualTo(tagged("two", "three"));
        assertThat(folder.resolve("rank-3.out")).hasContent("one\ntwo\nthree\n");
        assertThat(told).isEmpty();
    }

    /** Each byte on its own, in lines and the beginnings of lines, also those that are on the tape already. */
    @Test
    void callbackRunsOncePrintedBytesAreStored() throws Exception {
        nextLauncher();
        for (int incarnation = 1; incarnation <= 2; incarnation++) {
            PipedOutputStream process = new PipedOutputStream();
            OutputPump pump = start(incarnation, process);
            String printed = "one\ntwo\nthr";
            for (int bytes = 1; bytes <= printed.length(); bytes++) {
                CompletableFuture<String> kept = new CompletableFuture<>();
                tape.whenKept(incarnation, bytes, () -> kept.complete(kept(7)));
                assertThat(kept).as("byte " + bytes + " before it came").isNotDone();
                process.write((printed.charAt(bytes - 1) + mark(7, bytes)).getBytes(StandardCharsets.US_ASCII));
                process.flush();
                assertThat(kept.get(60, TimeUnit.SECONDS)).isEqualTo(printed.substring(0, bytes));
            }
            tape.whenKept(incarnation, printed.length() + 1, () -> told.add("kept"));
            process.close();
            pump.await();
        }
        assertThat(told).as("of what nobody printed").isEmpty();
    }

    /** Up to this mark. */
    private String kept(long mark) {
        try {
            OutputMarks.Place place = places.get(mark);
            String lines = place.line() == 0 ? "" : Files.readString(folder.resolve("rank-3.out")).substring(0, (int) place.line());
            return lines + place.begun();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** An image counts then, and nobody prints again what was printed before it. */
    @Test
    void bytesReportedAsStoredAreOnDisk() throws Exception {
        tape.close();
        bytes = new OutputJournalBytes(folder.resolve("rank-3.out"), true);
        tape = tape();
        process(1, "one\n" + mark(1, 4));
        bytes.close(); // What a disk does that fails.
        tape.whenKept(1, 4, () -> told.add("told"));
        assertThat(told).as("of a disk that does not take it").hasSize(2).endsWith("told").first().asString().startsWith("broken");
    }

    /** An image of a rank that prints nothing costs no sync of its streams. */
    @Test
    void syncSkipsBytesAlreadyOnDisk() throws Exception {
        tape.close();
        bytes = new OutputJournalBytes(folder.resolve("rank-3.out"), true);
        tape = tape();
        process(1, "one\n" + mark(1, 4));
        tape.whenKept(1, 4, () -> told.add("kept"));
        bytes.close(); // What a disk does that fails.
        tape.whenKept(1, 4, () -> told.add("again"));
        assertThat(told).as("nothing is asked of the disk").containsExactly("kept", "again");
        process(2, "one\ntwo\n");
        assertThat(told).hasSize(3).last().asString().startsWith("broken");
    }

    /** It counts what it prints itself, wherever it goes on. */
    @Test
    void silentProcessResumedFromImageIsNotAwaited() throws Exception {
        nextLauncher();
        process(1, "one\ntwo\nth" + mark(1) + "r");
        nextLauncher();
        process(2, goesOn(1));
        tape.whenKept(2, 0, () -> told.add("at once"));
        tape.whenKept(1, 0, () -> told.add("of another process"));
        assertThat(told).containsExactly("at once");
    }

    @Test
    void failedJournalDelaysNoImage() throws Exception {
        nextLauncher();
        PipedOutputStream process = new PipedOutputStream();
        OutputPump pump = start(1, process);
        CompletableFuture<Void> one = new CompletableFuture<>();
        tape.whenKept(1, 4, () -> one.complete(null));
        process.write(("one\n" + mark(1, 4)).getBytes(StandardCharsets.UTF_8));
        process.flush();
        one.get(60, TimeUnit.SECONDS);
        tape.whenKept(1, 100, () -> told.add("not waited for"));
        bytes.close(); // What a disk does that fails.
        process.write("two\n".getBytes(StandardCharsets.UTF_8));
        process.close();
        pump.await();
        assertThat(told).hasSize(2).endsWith("not waited for");
    }

    @Test
    void lineResumedUnderNextLauncherIsShownWhole() throws Exception {
        nextLauncher();
        process(1, "one\ntw" + mark(1));
        nextLauncher();
        process(2, goesOn(1) + "o\nthr" + mark(2));
        nextLauncher();
        process(3, goesOn(2) + "ee\n");
        assertThat(shown()).isEqualTo(tagged("one", "tw", "two", "thr", "three"));
        assertThat(folder.resolve("rank-3.out")).hasContent("one\ntwo\nthree\n");
        assertThat(told).isEmpty();
    }

    /** It had printed a TiB before: neither the next launcher nor a process behind its image reads that. */
    @Test
    void outputBeforeImageIsNotReread() throws Exception {
        long before = 1L << 40;
        try (FileChannel file = FileChannel.open(folder.resolve("rank-3.out"), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap("\none\ntw".getBytes(StandardCharsets.UTF_8)), before);
        }
        places.put(1L, new OutputMarks.Place(before + 1, ""));
        nextLauncher();
        process(2, goesOn(1) + "one\ntwo\n" + mark(2) + "three\n");
        process(3, goesOn(2) + "three\nfour\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("two", "three", "four"));
        assertThat(told).isEmpty();
    }

    /** The launcher died before it had read it, and the image was made. */
    @Test
    void outputUnseenByAnyLauncherIsReportedLost() throws Exception {
        nextLauncher();
        process(1, "one\ntw");
        places.put(1L, new OutputMarks.Place(10, "three "));
        nextLauncher();
        process(2, goesOn(1) + "four\n");
        assertThat(told).containsExactly(
                "goes on at byte 10 of standard output, of which only 4 came to its launchers: what it had printed between them is lost");
        assertThat(shown()).isEqualTo(tagged("one", "tw", "three four"));
        nextLauncher();
        process(3, goesOn(1) + "four\nfive\n").finish(true);
        assertThat(shown()).as("whoever goes on there again shows nothing twice").isEqualTo(tagged("one", "tw", "three four", "five"));
        assertThat(told).hasSize(1);
    }

    /** The host of the launcher that had seen it lost its power, say. */
    @Test
    void processResumedAtUnseenMarkIsShownFromThere() throws Exception {
        process(1, "prologue\none\ntwo\n");
        process(2, "prologue\n" + goesOn(7) + "two\nthree\n");
        assertThat(shown()).isEqualTo(tagged("prologue", "one", "two", "two", "three"));
        assertThat(told).containsExactly("goes on where it was at an image, and its mark in standard output came to no launcher:"
                + " lines that it had printed before that may be lost, and some be shown twice");
        process(3, "prologue\n" + goesOn(7) + "two\nthree\nfour\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("prologue", "one", "two", "two", "three", "four"));
        assertThat(told).hasSize(1);
    }

    /** The JVM itself, a child, or a stream that the program has opened anew: the library counts none of it. */
    @Test
    void whateverElsePrintsToTheStreamNoLineIsLostBehindAnImage() throws Exception {
        process(1, "Picked up\nhello\n" + mark(100) + "child\none\n" + mark(200) + "child\ntwo\n");
        process(2, "Picked up\nhello\n" + mark(100) + goesOn(200) + "child\ntwo\n" + mark(300) + "three\n");
        process(3, "Picked up\nhello\n" + mark(100) + goesOn(300) + "three\nfour\n").finish(true);
        assertThat(shown()).isEqualTo(tagged("Picked up", "hello", "child", "one", "child", "two", "three", "four"));
        assertThat(told).isEmpty();
    }

    @Test
    void silenceAfterImageCountsAsComplete() throws Exception {
        process(1, "hello\nstep\n" + mark(1));
        process(2, "hello\n" + goesOn(1)).finish(true);
        assertThat(told).isEmpty();
    }

    /** In a longer line, or a shorter one. */
    @Test
    void aMarkStandsBehindItsLineThoughThatDiffered() throws Exception {
        for (String took : List.of("9.8", "1000.1")) {
            process(1, "step 0\n" + mark(1) + "step 1 took 10.1 s\n");
            process(2, goesOn(1) + "step 1 took " + took + " s\n" + mark(2) + "step 2\n");
            process(3, goesOn(2) + "step 2\n" + mark(3) + "step 3\n").finish(true);
            assertThat(shown()).isEqualTo(tagged("step 0", "step 1 took 10.1 s", "step 1 took " + took + " s", "step 2", "step 3"));
            shown.reset();
            nextLauncher();
        }
        assertThat(told).hasSize(2);
    }

    /** Its prologue says what time it is, before or behind the lines that are the same; its successor meets the same mark again. */
    @Test
    void partialLineBeforeImageSurvivesChangedPrologue() throws Exception {
        for (boolean isFirst : List.of(true, false)) {
            process(1, (isFirst ? "10:00\nhello\n" : "hello\n") + mark(80) + "step 1 " + mark(200));
            for (int incarnation = 2; incarnation <= 3; incarnation++) {
                String time = "10:0" + incarnation + "\n";
                process(incarnation, (isFirst ? time + "hello\n" : "hello\n" + time) + mark(80) + goesOn(200) + (incarnation > 2 ? "done\nstep 2\n" : ""));
            }
            assertThat(shown()).isEqualTo(tagged("10:00", "hello", "step 1 ", "10:02", "10:03", "step 1 done", "step 2").substring(isFirst ? 0 : 10));
            shown.reset();
            nextLauncher();
        }
    }

    /** Of a line that is another one on the tape, or of none. */
    @Test
    void halfALineThatDifferedBeforeAnImageIsShownAsItWasPrinted() throws Exception {
        for (String before : List.of("", "new\n")) {
            process(1, "took 9.8 s: ok\nb\n");
            process(2, before + "took 10.1 s: " + mark(1));
            process(3, goesOn(1) + "fine\nb\n").finish(true);
            assertThat(shown()).startsWith(tagged("took 9.8 s: ok", "b")).contains(tagged("took 10.1 s: fine"));
            shown.reset();
            nextLauncher();
        }
    }

    /** It may be shown twice then, and none is lost. */
    @Test
    void aMarkBehindALineThatDifferedAndBeforeOnesThatDidNotLosesNone() throws Exception {
        process(1, "took 9.8 s\nok\nb\nok\n");
        process(2, "took 10.1 s\nok\n" + mark(1) + "b\n");
        process(3, goesOn(1) + "b\nok\ntook 10.1 s\nend\n").finish(true);
        assertThat(shown()).startsWith(tagged("took 9.8 s", "ok", "b", "ok", "took 10.1 s")).endsWith(tagged("took 10.1 s", "end"));
    }

    /** However its bytes come, and within a line, and though others print what looks like one. */
    @Test
    void marksAreNeitherShownNorStored() throws Exception {
        nextLauncher();
        String printed = "one\ntw" + mark(5) + "o\n\0\0posthouse mark 0\n" + mark(6);
        PipedOutputStream process = new PipedOutputStream();
        OutputPump pump = start(1, process);
        for (byte single : printed.getBytes(StandardCharsets.US_ASCII)) {
            process.write(single);
            process.flush();
        }
        process.close();
        pump.await();
        assertThat(shown()).isEqualTo(tagged("one", "two", "\0\0posthouse mark 0"));
        assertThat(folder.resolve("rank-3.out")).hasContent("one\ntwo\n\0\0posthouse mark 0\n");
        assertThat(places).isEqualTo(Map.of(5L, new OutputMarks.Place(4, "tw"), 6L, new OutputMarks.Place(27, "")));
    }

    @Test
    void repeatedMarkIsNotNew() {
        OutputMarks marks = new OutputMarks();
        assertThat(marks.mark(0, 9)).isTrue();
        assertThat(marks.mark(1, 300)).isTrue();
        assertThat(marks.mark(0, 9)).isFalse();
        assertThat(marks.mark(1, 300)).isFalse();
        assertThat(marks.mark(1, 301)).as("a host has lost the end of its log").isTrue();
    }

    /** Those of images that could not be stored are forgotten before those of images. */
    @Test
    void marksOfLatestImagesAreRetained() {
        OutputMarks marks = new OutputMarks();
        marks.place(300, new OutputMarks.Place(30, ""));
        marks.mark(1, 300);
        for (int other = 0; other < 1_000; other++) {
            marks.place(1_000 + other, new OutputMarks.Place(other, ""));
        }
        assertThat(marks.at(300).line()).isEqualTo(30);
        assertThat(marks.at(1_999).line()).isEqualTo(999);
        assertThat(marks.places()).hasSize(OutputMarks.OTHERS_MAX + OutputMarks.OLDER + 2);
    }
}
