package org.posthouse.launch.folder;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.posthouse.causes.Causes;
import org.posthouse.launch.output.OutputJournalBytes;
import org.posthouse.mpj.checkpoint.ProgramInput;

/**
 * Passes this process's standard input on to ranks, piece by piece ({@link ProgramInput}), no faster than they read. If
 * a process may be restarted, or several ranks read, all input is kept in a file. Each process then reads it from its
 * beginning. Thread-safe.
 *
 * <p>A terminal gives nothing to a process in the background. It is asked again once a second until it does. The
 * command ignores SIGTTIN, which would stop it.
 */
public final class JobInput implements AutoCloseable {
    private static final long BACKGROUND_MS = 1_000;

    /** Most bytes that are read and kept ahead of the fastest rank. */
    private static final long AHEAD_BYTES_MAX = 1024 * 1024;

    private static final Path DESCRIPTOR = Path.of("/proc/self/fd/0");

    private final InputStream from;
    /** Null if nothing is kept. */
    private final OutputJournalBytes kept;
    /** Exists once all of it is kept; null if no other launcher asks. */
    private final Path endMark;

    private final Consumer<String> tell;

    // Guarded by this.
    private Thread reader;
    private boolean ended;
    private boolean closed;
    private long taken;

    private JobInput(InputStream from, OutputJournalBytes kept, Path endMark, Consumer<String> tell) {
        this.from = from;
        this.kept = kept;
        this.endMark = endMark;
        this.tell = tell;
    }

    /** Input of one process of one rank, which no other process follows. */
    public static JobInput passed(InputStream from, Consumer<String> tell) {
        return new JobInput(from, null, null, tell);
    }

    /** For several processes, while this one lives. */
    public static JobInput kept(InputStream from, Consumer<String> tell) {
        return new JobInput(from, new OutputJournalBytes(), null, tell);
    }

    /**
     * Input that processes of later launchers read too. Those launchers continue behind the bytes that this one has
     * kept.
     */
    public static JobInput in(JobFolder folder, InputStream from, Consumer<String> tell) throws IOException {
        JobInput input = new JobInput(from, new OutputJournalBytes(folder.input(), folder.survivesHost()), folder.inputEnd(), tell);
        synchronized (input) {
            input.kept.recall();
            input.ended = Files.exists(folder.inputEnd());
        }
        return input;
    }

    /** Gives it to a process, on a thread of its own, until that ends. */
    public void feed(int rank, InputSink to) {
        Thread.ofPlatform().daemon().name("posthouse-input-" + rank).start(() -> {
            try {
                if (kept == null) {
                    pass(to);
                } else {
                    begin();
                    give(to);
                }
            } catch (IOException e) {
                // The process has ended, or does not read any more: that is its affair.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void pass(InputSink to) throws IOException, InterruptedException {
        byte[] piece = new byte[ProgramInput.PIECE_BYTES_MAX];
        for (int count = read(piece); count >= 0; count = read(piece)) {
            to.write(piece, count);
        }
        to.write(piece, 0);
    }

    private void give(InputSink to) throws IOException, InterruptedException {
        long at = to.position();
        for (byte[] piece = next(at); piece != null; piece = next(at)) {
            to.write(piece, piece.length);
            at += piece.length;
            if (piece.length == 0) {
                return;
            }
        }
    }

    /** @return empty at the end; null once this is closed */
    private synchronized byte[] next(long at) throws IOException, InterruptedException {
        taken = Math.max(taken, at);
        notifyAll();
        while (at == kept.length() && !ended && !closed) {
            wait();
        }
        if (closed) {
            return null;
        }
        byte[] piece = new byte[(int) Math.min(ProgramInput.PIECE_BYTES_MAX, kept.length() - at)];
        kept.read(at, piece);
        return piece;
    }

    private synchronized void begin() {
        if (reader == null && !ended) {
            reader = Thread.ofPlatform().daemon().name("posthouse-input").start(this::keep);
        }
    }

    private void keep() {
        byte[] piece = new byte[ProgramInput.PIECE_BYTES_MAX];
        try {
            for (int count = read(piece); count >= 0 && keep(piece, count); count = read(piece)) {
                awaitRoom();
            }
            end();
        } catch (IOException e) {
            tell.accept("standard input cannot be kept, and ends here for the ranks: " + Causes.text(e));
            synchronized (this) {
                ended = true;
                notifyAll();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean keep(byte[] piece, int count) throws IOException {
        if (closed) {
            return false;
        }
        kept.add(Arrays.copyOf(piece, count));
        kept.file();
        kept.force();
        notifyAll();
        return true;
    }

    private synchronized void awaitRoom() throws InterruptedException {
        while (kept.length() - taken > AHEAD_BYTES_MAX && !closed) {
            wait();
        }
    }

    private synchronized void end() throws IOException {
        if (endMark != null && !closed) {
            Files.createFile(endMark);
        }
        ended = true;
        notifyAll();
    }

    private int read(byte[] piece) throws InterruptedException {
        while (true) {
            try {
                return from.read(piece);
            } catch (IOException e) {
                if (!isTerminal()) {
                    return -1; // Nobody has given this process any.
                }
                Thread.sleep(BACKGROUND_MS);
            }
        }
    }

    private static boolean isTerminal() {
        try {
            String file = Files.readSymbolicLink(DESCRIPTOR).toString();
            return file.startsWith("/dev/pts/") || file.startsWith("/dev/tty") || file.equals("/dev/console");
        } catch (IOException e) {
            return false;
        }
    }

    /** No reader is left. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
        try {
            if (kept != null) {
                kept.close();
            }
        } catch (IOException e) {
            tell.accept("the file of what was read on standard input cannot be closed: " + Causes.text(e));
        }
    }
}
