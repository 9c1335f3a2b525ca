package org.posthouse.launch.remote;

import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.launch.place.StageDisplay;

/** Reports staging that takes longer than a second, in lines for people. Confined to one thread. */
final class StageReport implements StageDisplay {
    private static final long QUIET_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long LINE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final double MEGA = 1e6;

    private final Consumer<String> printer;
    private final long sinceNs = System.nanoTime();
    private long lineNs = sinceNs + QUIET_NS;
    private boolean hasReported;
    private long done;

    StageReport(Consumer<String> printer) {
        this.printer = printer;
    }

    @Override
    public void show(long done, long total) {
        this.done = done;
        long nowNs = System.nanoTime();
        if (nowNs - lineNs >= 0 && total > 0) {
            lineNs = nowNs + LINE_NS;
            hasReported = true;
            printer.accept(String.format(Locale.ROOT, "staging: %.1f of %.1f MB have reached the job's relays", done / MEGA, total / MEGA));
        }
    }

    @Override
    public void end() {
        if (hasReported) {
            printer.accept(String.format(Locale.ROOT, "staged %.1f MB in %.1f s", done / MEGA, (System.nanoTime() - sinceNs) / 1e9));
        }
    }
}
