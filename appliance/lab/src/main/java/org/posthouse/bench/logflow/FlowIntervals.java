package org.posthouse.bench.logflow;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The seconds of {@code bench logflow}, those in which nothing came included, until everything has come. Confined to one thread. */
final class FlowIntervals {
    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    private final long payloadBytes;
    private final List<FlowInterval> intervals = new ArrayList<>();
    private long beginNs;
    private long deliveredBytes;

    /** @param payloadBytes everything @param beginNs of the first one */
    FlowIntervals(long payloadBytes, long beginNs) {
        this.payloadBytes = payloadBytes;
        this.beginNs = beginNs;
    }

    /** Whether one has gone by. */
    boolean isOver(long nowNs) {
        return nowNs - beginNs >= INTERVAL_NS;
    }

    /** One has gone by. @param delivered since the first began @param logBytes of the log's files now */
    void add(long nowNs, long delivered, long logBytes, DirtyPages dirty) {
        if (deliveredBytes < payloadBytes) {
            intervals.add(new FlowInterval((delivered - deliveredBytes) / ((nowNs - beginNs) / 1e9) / 1e6, logBytes, dirty));
        }
        deliveredBytes = delivered;
        beginNs = nowNs;
    }

    List<FlowInterval> all() {
        return List.copyOf(intervals);
    }
}
