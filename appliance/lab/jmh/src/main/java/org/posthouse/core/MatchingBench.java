package org.posthouse.core;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What it costs to take in one message and one receive, while {@code waiting} unexpected messages are in the mailbox.
 * {@link Mailbox} says which must not depend on their number: whatever names its source, and ANY source with ANY tag.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class MatchingBench {
    @Param({"1", "100", "10000"})
    public int waiting;

    private final MailboxLoad others = new MailboxLoad();
    private final MailboxLoad otherTags = new MailboxLoad();

    @Setup
    public void fill() {
        others.waitFromOthers(waiting);
        otherTags.waitWithOtherTag(waiting);
    }

    /** A bench whose mailbox ran full or empty would not have measured what it says. */
    @TearDown(Level.Iteration)
    public void check() {
        if (others.unexpected() != waiting || otherTags.unexpected() != waiting) {
            throw new IllegalStateException(
                    others.unexpected() + " and " + otherTags.unexpected() + " messages wait, expected " + waiting + " each");
        }
    }

    /** Others' messages wait: constant time. */
    @Benchmark
    public Object namedSource() {
        return others.arriveThenReceive(MailboxLoad.SOURCE, MailboxLoad.TAG);
    }

    /** The receive is there first: constant time. */
    @Benchmark
    public Object namedSourcePostedFirst() {
        return others.receiveThenArrive(MailboxLoad.SOURCE, MailboxLoad.TAG);
    }

    /** The same channel's messages with another tag wait: linear in their number. */
    @Benchmark
    public Object namedSourceOtherTagsWait() {
        return otherTags.arriveThenReceive(MailboxLoad.SOURCE, MailboxLoad.TAG);
    }

    /** The oldest message of all: constant time. */
    @Benchmark
    public Object anySourceAnyTag() {
        return otherTags.arriveThenReceive(MailboxLoad.ANY, MailboxLoad.ANY);
    }

    /** The oldest message of all with this tag: linear in the number of those before it. */
    @Benchmark
    public Object anySourceNamedTag() {
        return others.arriveThenReceive(MailboxLoad.ANY, MailboxLoad.TAG);
    }
}
