package org.posthouse.launch.output;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.posthouse.wire.OutputPoint;
import org.posthouse.wire.PrintMark;

/**
 * Keeps every shown line of one stream of one rank, so that a restarted rank shows nothing twice. Output of the new
 * process is compared with the tape, up to its end, and not shown again. Called by the threads that read the stream of
 * the rank's present process. A thread of an earlier process may still call it, but can change nothing. Processes that
 * follow the present one print the same: their lines are compared with the tape, and wait where they are ahead of it.
 *
 * <p>A line is suppressed only for an equal one, and no two lines for the same one, so none is lost. If the tape cannot
 * be written or read, the watcher is notified. Nothing is kept from then on, and the stream is shown as it comes.
 */
public final class OutputJournal implements AutoCloseable {
    private static final int QUOTED_BYTES_MAX = 80;

    /** Of a line that may say why a follower has ended. */
    private static final int WORDS_BYTES_MAX = 300;

    /** Bytes of each piece of a line that is passed on in pieces. */
    private static final int PIECE_BYTES = OutputPump.LINE_BYTES_MAX + 1;

    /**
     * Bytes of the tape that are searched for a line that differs; if it is not found there, it is shown. A process
     * with many different lines reads so many for each.
     */
    static final int SEARCH_BYTES_MAX = 64 * 1024;

    private static final byte[] NOTHING = {};

    /**
     * Bytes for the screen.
     *
     * @param bytes no more than the rest of a line; may be none
     * @param beginsLine whether they begin a line, although the screen may be within one: it has the unfinished
     *     beginning of another
     */
    record Shown(byte[] bytes, boolean beginsLine) {
        private static final Shown NONE = new Shown(NOTHING, false);
    }

    /** Told of problems and marks of a stream; called by its reader. */
    public interface Watcher {
        /**
         * The stream differs from earlier output. Called for the first difference of a process, with byte, line and
         * text, as the rest of a sentence that begins with the rank.
         */
        void differs(String what);

        /** A process has printed its last line, without its end. */
        void lastWords(String line);

        /**
         * The process continues behind the end of all that is kept: the rest of a sentence that begins with the rank.
         */
        void lost(String what);

        /** The stream is no longer kept. */
        void broken(IOException why);

        /** The tape has a mark of this number, which another launcher may need. */
        void placed(long mark, OutputMarks.Place place);
    }

    private final String stream;
    private final List<String> lastWords;
    private final Watcher watcher;
    private final OutputMarks marks = new OutputMarks();
    private final OutputJournalBytes bytes;

    /** Output of ended processes behind the end of the tape: the longest of those that reached the end. */
    private byte[] held = NOTHING;

    /**
     * The beginning of the line behind the end of the tape that the screen has; no process has printed its end yet.
     */
    private byte[] open = NOTHING;

    /** Bytes printed before the image, of the line within which the process continues. */
    private int goesOnBehind;

    private boolean broken;

    /** The process that may add to the tape: the highest that has begun. */
    private int incarnation;
    /** Its position on the tape, at the beginning of a line: [compared, expected) has not been printed again. */
    private long compared;

    /**
     * The end of the tape when the process began. A process that reaches it is at the end, and then at the present end.
     */
    private long expected;

    private boolean differs;
    private JvmNotices jvm = new JvmNotices();

    /** Length of its last printed line, if that is the last of the tape; else 0. */
    private int keptLast;

    /** Bytes of its library's output up to its last mark. They and all before are kept, if the tape is not broken. */
    private long came;

    /** Where the processes that follow are on the tape, by their numbers. */
    private final Map<Integer, Follower> followers = new HashMap<>();

    /** Those that have ended, or are about to, until {@link #wordsOf} has asked. What they print is dropped. */
    private final Map<Integer, Follower> dropped = new HashMap<>();

    /** A process that follows. */
    private static final class Follower {
        /** [0, compared) it has printed as well. */
        private long compared;

        private boolean differs;
        private final JvmNotices jvm = new JvmNotices();

        /** The line that is likeliest to say why it ends. */
        private String words = "";

        /** Its leader has not printed this line. The first such line counts that is no warning of its JVM. */
        private void note(byte[] line) {
            String text = quoted(line, WORDS_BYTES_MAX).strip();
            if (words.isEmpty() && text.length() > 1 && !text.startsWith("[")) {
                words = text;
            }
        }

        /** Its library has printed this line before it ended the process. */
        private void lastWords(byte[] line) {
            words = quoted(line, WORDS_BYTES_MAX).strip();
        }
    }

    /** Called when {@code waitingFor} bytes have come; null if no caller waits. */
    private Runnable waiting;
    private long waitingFor;

    /**
     * @param stream its name for people, for instance "standard output"
     * @param lastWords how lines begin that one process prints and its successor does not: always shown, never kept
     */
    public OutputJournal(String stream, List<String> lastWords, Watcher watcher) {
        this(new OutputJournalBytes(), stream, lastWords, watcher);
    }

    private OutputJournal(OutputJournalBytes bytes, String stream, List<String> lastWords, Watcher watcher) {
        this.bytes = bytes;
        this.stream = stream;
        this.lastWords = lastWords;
        this.watcher = watcher;
    }

    /**
     * A tape that begins with the whole lines of the file. The rest is the unfinished line of a dead process, or a line
     * half written by a dead launcher.
     */
    public static OutputJournal of(OutputJournalBytes bytes, String stream, List<String> lastWords, Watcher watcher)
            throws IOException {
        OutputJournal tape = new OutputJournal(bytes, stream, lastWords, watcher);
        if (bytes.recall()) {
            tape.recall();
        }
        return tape;
    }

    /** The lines of a stream's file without their ends, as they were shown. */
    public static List<String> lines(Path file) throws IOException {
        List<String> lines = new ArrayList<>();
        byte[] all = Files.readAllBytes(file);
        int start = 0;
        for (int at = 0; at < all.length; at++) {
            if (all[at] == '\n' || at + 1 == all.length) {
                int end = all[at] == '\n' ? at : at + 1;
                lines.add(new String(all, start, end - start, StandardCharsets.UTF_8));
                start = at + 1;
            }
        }
        return lines;
    }

    private synchronized void recall() throws IOException {
        byte[] rest = new byte[(int) ((length() - lastLine()) % PIECE_BYTES)];
        bytes.read(length() - rest.length, rest);
        held = rest;
        bytes.cut(length() - rest.length);
    }

    /**
     * Where the last line begins, which may be long and have no end; the end of the file, if that is a line's end. Does
     * not read what comes before it.
     */
    private long lastLine() throws IOException {
        for (long end = length(); end > 0; end -= OutputJournalBytes.TAIL_BYTES_MAX) {
            byte[] piece = new byte[(int) Math.min(OutputJournalBytes.TAIL_BYTES_MAX, end)];
            bytes.read(end - piece.length, piece);
            for (int at = piece.length; at > 0; at--) {
                if (piece[at - 1] == '\n') {
                    return end - piece.length + at;
                }
            }
        }
        return 0;
    }

    /** A process begins and has printed nothing yet. */
    synchronized void begin(int newIncarnation) {
        incarnation = newIncarnation;
        compared = 0;
        expected = length();
        differs = false;
        keptLast = 0;
        jvm.begin();
        came = 0;
        waiting = null;
    }

    /** A process begins that follows. */
    synchronized void follow(int process) {
        followers.put(process, new Follower());
    }

    /** A process that has followed adds to the tape from now on. No other one does. */
    synchronized void lead(int process) {
        Follower follower = followers.remove(process);
        dropped.remove(process);
        begin(process);
        if (follower != null) {
            compared = Math.min(follower.compared, expected);
            differs = follower.differs;
            jvm = follower.jvm;
        }
        notifyAll();
    }

    /** Nothing more of the process is shown or compared, unless it leads. @return whether it does not */
    synchronized boolean drop(int process) {
        Follower follower = followers.remove(process);
        if (follower != null) {
            dropped.put(process, follower);
        }
        notifyAll();
        return process != incarnation;
    }

    /**
     * A line that a process printed that was dropped, and its leader did not: it may say why the process has ended. Asked once, when all
     * of its output was taken.
     *
     * @return empty if there is none
     */
    synchronized String wordsOf(int process) {
        Follower follower = dropped.remove(process);
        return follower == null ? "" : follower.words;
    }

    /**
     * Takes the next line that a process has printed, if it follows. Waits while the process is ahead of the one that it
     * follows.
     *
     * @return false if it does not follow, or leads meanwhile
     */
    synchronized boolean followed(int process, byte[] line) {
        Follower follower = followers.getOrDefault(process, dropped.get(process));
        if (follower == null) {
            return false;
        }
        if (lastWords.stream().anyMatch(beginning -> begins(line, beginning))) {
            follower.lastWords(line);
            return true;
        } else if (follower.jvm.take(line)) {
            follower.note(line);
            return true;
        }
        try {
            while (!broken && follower.compared >= length() && followers.get(process) == follower) {
                wait();
            }
            if (followers.get(process) == follower) {
                compare(process, follower, line);
            } else if (dropped.get(process) == follower) {
                compareDropped(follower, line);
            } else {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            broken(e);
        }
        return true;
    }

    private void compare(int process, Follower follower, byte[] line) throws IOException {
        if (broken) {
            return;
        }
        byte[] next = read(follower.compared, line.length);
        if (Arrays.equals(next, line)) {
            follower.compared += line.length;
            return;
        }
        byte[] there = read(follower.compared, SEARCH_BYTES_MAX + line.length);
        if (!follower.differs) {
            follower.differs = true;
            watcher.differs(differing("follower " + process + " prints something else than its leader", follower.compared, line, there));
        }
        follower.compared += Math.max(0, endOf(line, there));
    }

    private void compareDropped(Follower follower, byte[] line) throws IOException {
        if (!broken && follower.compared < length() && Arrays.equals(read(follower.compared, line.length), line)) {
            follower.compared += line.length;
        } else {
            follower.note(line);
        }
    }

    /** So many bytes of the tape from a position on, or all to its end. */
    private byte[] read(long from, int bytesMax) throws IOException {
        byte[] there = new byte[(int) Math.min(bytesMax, length() - from)];
        bytes.read(from, there);
        return there;
    }

    /** Where the first line that is equal ends; -1 if there is none. */
    private static int endOf(byte[] line, byte[] there) {
        int start = 0;
        for (int at = 0; at < there.length; at++) {
            if (there[at] == '\n' || at - start >= OutputPump.LINE_BYTES_MAX) {
                if (Arrays.equals(there, start, at + 1, line, 0, line.length)) {
                    return at + 1;
                }
                start = at + 1;
            }
        }
        return -1;
    }

    /**
     * The process's stream begins here at a point that an earlier launcher has noted: behind so many bytes of what is
     * kept. The lines that it had kept behind them come again.
     *
     * @param place bytes; 0 for a process whose stream begins here
     * @param printed bytes of its library's output up to its last mark before this point
     */
    synchronized void continueAt(int from, long place, long printed) {
        if (from == incarnation && !broken) {
            compared = Math.min(place, length());
            came = printed;
        }
    }

    /** What another launcher needs to continue at a position of the process's stream, up to which all was taken. */
    synchronized OutputPoint point(long position) {
        return new OutputPoint(position, compared, came);
    }

    /** Makes what is kept durable. */
    public synchronized void keep() {
        force();
    }

    /**
     * A mark of a process has come, behind whole lines that were taken and this beginning of one. A process that
     * continues there does not print them again.
     */
    synchronized void mark(int from, PrintMark mark, byte[] begun) {
        if (from != incarnation) {
            return;
        }
        if (!broken) {
            // With lines behind those that it is to print again it is behind all: what it has shown there it does not print again.
            boolean isAmong = isAtEnd() || length() == expected;
            place(mark.number(), OutputMarks.Place.of(isAmong ? compared : length(), begun));
        }
        came = mark.process();
        tellWaiting();
    }

    /**
     * Calls {@code kept} once the first {@code bytes} that this process prints are kept; never if they do not come. The
     * last call counts.
     */
    public synchronized void whenKept(int from, long bytes, Runnable kept) {
        if (from == incarnation) {
            waiting = kept;
            waitingFor = bytes;
            tellWaiting();
        }
    }

    /** Ends the wait on a tape that keeps nothing any more; {@link Watcher#broken} has reported what that means. */
    private void tellWaiting() {
        if (waiting != null && (broken || came >= waitingFor)) {
            Runnable told = waiting;
            waiting = null;
            force();
            told.run();
        }
    }

    private void force() {
        if (!broken) {
            try {
                bytes.force();
            } catch (IOException e) {
                broken(e);
            }
        }
    }

    /** The positions where its processes may continue. */
    public OutputMarks marks() {
        return marks;
    }

    /**
     * The process is at the end of its prologue and continues at the mark of this number.
     *
     * @return the printed part of the line that the mark is in
     */
    synchronized byte[] jump(int from, long mark) {
        if (from != incarnation) {
            return NOTHING;
        }
        if (broken) {
            goToEnd();
            return NOTHING;
        }
        OutputMarks.Place place = marks.at(mark);
        if (place == null) {
            watcher.lost("goes on where it was at an image, and its mark in " + stream
                    + " came to no launcher: lines that it had printed before that may be lost, and some be shown twice");
        } else if (place.line() > length()) {
            watcher.lost("goes on at byte " + place.line() + " of " + stream + ", of which only " + length()
                    + " came to its launchers: what it had printed between them is lost");
        }
        if (place == null || place.line() > length()) {
            place = OutputMarks.Place.of(length(), place == null ? NOTHING : place.bytes());
            place(mark, place); // A process that resumes there after this one finds its output.
        }
        compared = place.line();
        if (isAtEnd()) {
            goToEnd(); // Behind what its prologue has shown.
        }
        goesOnBehind = place.bytes().length;
        return place.bytes();
    }

    private void place(long mark, OutputMarks.Place place) {
        marks.place(mark, place);
        if (bytes.areForOthers()) {
            watcher.placed(mark, place);
        }
    }

    /** Number of whole lines up to here; a piece of a line that is passed on in pieces counts as one. */
    private long lines(long end) throws IOException {
        byte[] piece = new byte[OutputJournalBytes.TAIL_BYTES_MAX];
        long lines = 0;
        int lineBytes = 0;
        for (long at = 0; at < end; at += piece.length) {
            piece = at + piece.length <= end ? piece : new byte[(int) (end - at)];
            bytes.read(at, piece);
            for (byte each : piece) {
                lineBytes++;
                if (each == '\n' || lineBytes == PIECE_BYTES) {
                    lines++;
                    lineBytes = 0;
                }
            }
        }
        return lines;
    }

    /**
     * Takes the next line that a process printed, its end included.
     *
     * @return the bytes of it to show
     */
    synchronized Shown take(int from, byte[] line) {
        if (from != incarnation) {
            return Shown.NONE;
        }
        goesOnBehind = 0;
        if (isNone(line)) {
            keptLast = 0;
            return rest(line);
        }
        boolean wasAtEnd = isAtEnd();
        boolean isNew = wasAtEnd || !isThere(line);
        if (isNew) {
            keep(line);
        }
        keptLast = isNew ? line.length : 0;
        if (!isNew) {
            return Shown.NONE;
        }
        if (wasAtEnd && !begins(line, open)) {
            tellOther(length() - line.length, line, open);
        }
        return rest(line);
    }

    /** The part not shown yet of a line; a line without an end is then over. */
    private Shown rest(byte[] line) {
        boolean isRest = begins(line, open);
        byte[] shown = isRest ? Arrays.copyOfRange(line, open.length, line.length) : line;
        open = NOTHING;
        return new Shown(shown, !isRest);
    }

    /**
     * A process has begun a line, and it is unknown when it will end it.
     *
     * @return the bytes of it to show: none, if another process has shown it or it may be none of the program's
     */
    synchronized Shown begun(int from, byte[] beginning) {
        boolean isNew = from == incarnation && !broken && isAtEnd() && beginning.length > Math.max(open.length, goesOnBehind) && begins(beginning, open);
        if (!isNew || jvm.mayBegin(beginning) || lastWords.stream().anyMatch(words -> begins(beginning, words) || begins(bytes(words), beginning))) {
            return Shown.NONE;
        }
        byte[] shown = Arrays.copyOfRange(beginning, open.length, beginning.length);
        open = beginning;
        return new Shown(shown, false);
    }

    private boolean isAtEnd() {
        return compared >= expected;
    }

    /** Whether that is no line of the program. */
    private boolean isNone(byte[] line) {
        if (jvm.take(line)) {
            if (jvm.beganBefore() && keptLast > 0 && !broken) {
                takeBack();
            }
            if (jvm.isUnstarted() && Byte.toUnsignedInt(line[0]) > ' ') { // No frame of a stack, nor the empty line behind it.
                tellLastWords(line);
            }
            return true;
        }
        boolean isLast = lastWords.stream().anyMatch(beginning -> begins(line, beginning));
        if (isLast) {
            tellLastWords(line);
        }
        return isLast;
    }

    private void tellLastWords(byte[] line) {
        watcher.lastWords(new String(line, StandardCharsets.UTF_8).stripTrailing());
    }

    private static boolean begins(byte[] line, String beginning) {
        byte[] bytes = bytes(beginning);
        return line.length > bytes.length && begins(line, bytes);
    }

    private static boolean begins(byte[] line, byte[] beginning) {
        return line.length >= beginning.length && Arrays.mismatch(line, 0, beginning.length, beginning, 0, beginning.length) < 0;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** Whether the tape has this line at the process's position, or further on; then moves the process behind it. */
    private boolean isThere(byte[] line) {
        if (broken) {
            compared += line.length;
            return true; // By their length, as what they were cannot be read.
        }
        try {
            byte[] same = new byte[(int) Math.min(line.length, expected - compared)];
            bytes.read(compared, same);
            return Arrays.equals(same, line) ? isBehind(compared + line.length) : isFurtherOn(line);
        } catch (IOException e) {
            broken(e);
            compared += line.length;
            return true;
        }
    }

    private boolean isFurtherOn(byte[] line) throws IOException {
        byte[] there = new byte[(int) Math.min(SEARCH_BYTES_MAX + line.length, expected - compared)];
        bytes.read(compared, there);
        tellOther(compared, line, there);
        int end = endOf(line, there);
        return end > 0 && isBehind(compared + end);
    }

    /**
     * Reports the first difference of a process.
     *
     * @param at where its line begins on the tape
     */
    private void tellOther(long at, byte[] line, byte[] there) {
        if (differs || broken) {
            return;
        }
        differs = true;
        try {
            watcher.differs(differing("printed something else when it was started again", at, line, there));
        } catch (IOException e) {
            broken(e);
        }
    }

    private String differing(String what, long at, byte[] line, byte[] there) throws IOException {
        int same = Arrays.mismatch(there, 0, Math.min(there.length, line.length), line, 0, line.length);
        return what + ", on " + stream + ", byte " + (at + same) + ", line " + (lines(at) + 1) + ": \"" + quoted(line) + "\", and before \"" + quoted(there)
                + "\"";
    }

    private boolean isBehind(long bytes) {
        compared = bytes;
        if (isAtEnd()) {
            goToEnd();
        }
        return true;
    }

    private void goToEnd() {
        compared = length();
    }

    private static String quoted(byte[] bytes) {
        return quoted(bytes, QUOTED_BYTES_MAX);
    }

    private static String quoted(byte[] bytes, int bytesMax) {
        int end = 0;
        while (end < bytes.length && end < bytesMax && bytes[end] != '\n') {
            end++;
        }
        return new String(bytes, 0, end, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
    }

    /** Adds a line behind all others, also if the process has not printed all earlier lines again. */
    private void keep(byte[] line) {
        if (broken) {
            return;
        }
        boolean isAtEnd = isAtEnd();
        bytes.add(line);
        if (isAtEnd) {
            held = NOTHING;
            goToEnd();
        }
        try {
            bytes.file();
        } catch (IOException e) {
            broken(e);
        }
        notifyAll();
    }

    /** Removes the line that was kept last. */
    private void takeBack() {
        boolean isAtEnd = isAtEnd();
        try {
            bytes.takeBack(keptLast);
        } catch (IOException e) {
            broken(e);
        }
        if (isAtEnd) {
            goToEnd();
        }
    }

    /**
     * A process has ended within a line. It is the beginning of a line on the tape, or of one that the next process may
     * print whole. Waits, if the process follows, until its leader has ended there too, or it leads or is dropped.
     */
    synchronized void hold(int from, byte[] beginning) {
        try {
            while (beginning.length > 0 && followers.containsKey(from) && !broken && !begins(held, beginning)) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (from == incarnation && isAtEnd() && beginning.length > held.length) {
            held = beginning;
            notifyAll();
        }
    }

    /**
     * No other process follows.
     *
     * @param well whether the last one ended as it should. The watcher is then notified if it has printed less than was
     *     shown
     * @return the bytes left to show
     */
    synchronized Shown finish(boolean well) {
        if (well && !differs && !broken && !isAtEnd()) {
            differs = true;
            tellLess();
        }
        followers.clear();
        notifyAll();
        byte[] last = held;
        if (bytes.areForOthers() && last.length > 0) {
            keep(last);
        }
        held = NOTHING;
        return last.length == 0 || begins(open, last) ? Shown.NONE : rest(last);
    }

    private void tellLess() {
        try {
            watcher.differs("printed less when it was started again: " + stream + " ends at byte " + compared + " of " + length()
                    + ", line " + lines(compared) + " of " + lines(length()));
        } catch (IOException e) {
            broken(e);
        }
    }

    private long length() {
        return bytes.length();
    }

    private void broken(IOException why) {
        broken = true;
        watcher.broken(why);
        tellWaiting();
        notifyAll();
    }

    /** Discards everything. Later output of the process, or of a child of it, is shown as it comes. */
    @Override
    public synchronized void close() {
        broken = true;
        notifyAll();
        try {
            bytes.close();
        } catch (IOException e) {
            throw new UncheckedIOException("the file of what was shown of " + stream + " cannot be closed", e);
        }
    }
}
