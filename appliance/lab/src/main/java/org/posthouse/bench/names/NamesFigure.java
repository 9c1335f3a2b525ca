package org.posthouse.bench.names;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.posthouse.bench.statistics.Medians;

/** The times of one point of one experiment at one back end. Filled by the bench, then read. */
final class NamesFigure {
    /** What grows. */
    enum Growth {
        PAYLOAD("payload", "bytes"), BATCH("batch", "entries");

        private final String word;
        private final String unit;

        Growth(String word, String unit) {
            this.word = word;
            this.unit = unit;
        }

        String word() {
            return word;
        }

        String unit() {
            return unit;
        }
    }

    /** What is timed. */
    enum Operation {
        INSERT("insert", "insertSeconds"), LOCKED_INSERT("with locks", "lockedInsertSeconds"), READ("read", "readSeconds");

        private final String word;
        private final String key;

        Operation(String word, String key) {
            this.word = word;
            this.key = key;
        }

        String word() {
            return word;
        }

        String key() {
            return key;
        }
    }

    private final NamesBackEnd backEnd;
    private final Growth growth;
    private final int payload;
    private final int entries;
    private final Map<Operation, List<Double>> seconds = new EnumMap<>(Operation.class);

    /**
     * @param payload bytes of each entry's value
     * @param entries that are inserted one after the other, and read
     */
    NamesFigure(NamesBackEnd backEnd, Growth growth, int payload, int entries) {
        this.backEnd = backEnd;
        this.growth = growth;
        this.payload = payload;
        this.entries = entries;
        Arrays.stream(Operation.values()).forEach(each -> seconds.put(each, new ArrayList<>()));
    }

    NamesBackEnd backEnd() {
        return backEnd;
    }

    Growth growth() {
        return growth;
    }

    int payload() {
        return payload;
    }

    int entries() {
        return entries;
    }

    /** Where the point is. */
    int at() {
        return growth == Growth.PAYLOAD ? payload : entries;
    }

    void add(Operation operation, double took) {
        seconds.get(operation).add(took);
    }

    /** Of each repetition, in order. */
    List<Double> seconds(Operation operation) {
        return List.copyOf(seconds.get(operation));
    }

    double median(Operation operation) {
        return Medians.of(seconds.get(operation));
    }

    /** The shortest time. What else a machine does at a time makes an operation longer and never shorter. */
    double least(Operation operation) {
        return Collections.min(seconds.get(operation));
    }

    /** The time without locks as a share of that with: the median over the repetitions. */
    double timesLocked() {
        return Medians.ratio(seconds.get(Operation.INSERT), seconds.get(Operation.LOCKED_INSERT));
    }
}
