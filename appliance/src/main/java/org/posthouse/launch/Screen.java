package org.posthouse.launch;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.posthouse.causes.Causes;

/**
 * Where a job's lines are shown. One that takes nothing, as its reader has gone or its disk is full, is tried again a second later, since an attempt costs as much as
 * twenty lines; what comes meanwhile is not shown. A line may have been cut: what is shown next begins another. Any thread may call it.
 */
final class Screen {
    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(1);

    private final OutputStream to;
    private final LongSupplier nanoTime;
    private final Consumer<String> complaint;
    private boolean complained;
    private boolean paused;
    private long failedNs;

    /** @param complaint is told why it took nothing, once */
    Screen(OutputStream to, LongSupplier nanoTime, Consumer<String> complaint) {
        this.to = to;
        this.nanoTime = nanoTime;
        this.complaint = complaint;
    }

    /** In one write. */
    synchronized void show(byte[] line) {
        if (paused && nanoTime.getAsLong() - failedNs < PAUSE_NS) {
            return;
        }
        try {
            to.write(paused ? onItsOwn(line) : line);
            to.flush();
            paused = false;
        } catch (IOException e) {
            paused = true;
            failedNs = nanoTime.getAsLong();
            if (!complained) {
                complained = true;
                complaint.accept(Causes.text(e));
            }
        }
    }

    private static byte[] onItsOwn(byte[] line) {
        return ByteBuffer.allocate(1 + line.length).put((byte) '\n').put(line).array();
    }
}
