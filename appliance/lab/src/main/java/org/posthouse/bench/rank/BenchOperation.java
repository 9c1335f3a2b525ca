package org.posthouse.bench.rank;

import java.io.IOException;

/**
 * The work of one rank in an iteration of one test at one size, with buffers of its own. Confined to the rank's thread.
 */
public interface BenchOperation {
    /** One iteration; the root of a collective moves on with its number. */
    void run(int iteration) throws IOException;

    /** Puts known bytes where the next iteration sends from, and others where it receives. */
    void fill();

    /**
     * Looks at what an iteration after {@link #fill} received.
     *
     * @return empty if it is right; else which element is what, and what was expected
     */
    String fault(int iteration);

    /** Whether this rank's times count. */
    default boolean isTimed() {
        return true;
    }

    /** The byte that {@code rank} sends at {@code index} of its buffer: neighbours in either differ. */
    static byte content(int rank, int index) {
        return (byte) (31 * rank + 7 * index + index / 256 + 1);
    }

    /** A fault in the words of a report. */
    static String fault(String element, int index, Object actual, Object expected) {
        return element + " " + index + " is " + actual + ", expected " + expected;
    }
}
