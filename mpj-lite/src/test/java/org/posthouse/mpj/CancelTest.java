package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Plain;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;

/** What the endpoint promises of modes, of taking back, and of when a receive's sink is ended; on the tests' machine. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CancelTest {
    private static Content ints(int... values) {
        return Plain.content(Base.INT, values, 0, values.length);
    }

    @Test
    void synchronousSendsEndWhenTheyAreMatched() {
        new LocalWorld(2).run(end -> {
            if (end.rank() == 0) {
                Operation empty = end.send(0, 1, 1, ints(), SendMode.SYNCHRONOUS);
                Operation small = end.send(0, 1, 2, ints(7), SendMode.SYNCHRONOUS);
                assertThat(end.test(small)).isFalse();
                end.send(0, 1, 3, ints());
                end.await(empty);
                end.await(small);
            } else {
                int[] got = new int[1];
                end.probe(0, 0, 3);
                end.await(end.receive(0, 0, 2, Plain.sink(Base.INT, got, 0, 1)));
                end.await(end.receive(0, 0, 1, Plain.sink(Base.INT, got, 0, 0)));
                assertThat(got).containsExactly(7);
            }
        });
    }

    @Test
    void aCancelledReceiveLeavesTheMessageToTheNext() {
        new LocalWorld(2).run(end -> {
            if (end.rank() == 0) {
                end.probe(0, 1, 9);
                end.send(0, 1, 1, ints(5));
                return;
            }
            int[] wrong = new int[1];
            int[] right = new int[1];
            Operation first = end.receive(0, 0, 1, Plain.sink(Base.INT, wrong, 0, 1));
            assertThat(end.cancel(first)).isTrue();
            assertThat(first.isDone() && first.isCancelled()).isTrue();
            assertThat(first.envelope()).isNull();
            assertThat(end.cancel(first)).as("twice is once").isTrue();
            end.send(0, 0, 9, ints());
            Operation second = end.receive(0, 0, 1, Plain.sink(Base.INT, right, 0, 1));
            end.await(second);
            assertThat(end.cancel(second)).as("too late").isFalse();
            assertThat(new int[] {wrong[0], right[0]}).containsExactly(0, 5);
        });
    }

    @Test
    void aCancelledSendIsNeverReceived() {
        CountDownLatch cancelled = new CountDownLatch(1);
        new LocalWorld(2).run(end -> {
            if (end.rank() == 0) {
                Operation offered = end.send(0, 1, 1, ints(5), SendMode.SYNCHRONOUS);
                assertThat(end.cancel(offered)).isTrue();
                assertThat(offered.isDone() && offered.isCancelled()).isTrue();
                cancelled.countDown();
                assertThat(end.cancel(end.send(0, 1, 1, ints(6)))).as("small sends are over at once").isFalse();
            } else {
                cancelled.await(); // A receive that is there first would match it.
                int[] got = new int[1];
                end.await(end.receive(0, 0, 1, Plain.sink(Base.INT, got, 0, 1)));
                assertThat(got).containsExactly(6);
            }
        });
    }

    /** Counts its ends, and stays in the first for as long as the test wants. */
    private static final class SlowSink implements Sink {
        final AtomicInteger ends = new AtomicInteger();
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch leave = new CountDownLatch(1);

        @Override
        public void begin(Envelope envelope) {}

        @Override
        public void read(long at, ByteBuffer in) {
            in.position(in.limit());
        }

        @Override
        public void end() throws ReceiveException {
            ends.incrementAndGet();
            entered.countDown();
            try {
                leave.await();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            throw new ReceiveException(ReceiveException.Kind.OBJECT, "as it should");
        }
    }

    @Test
    void theSinkEndsOnceInTheThreadThatAsksWhileOthersCommunicate() {
        SlowSink sink = new SlowSink();
        AtomicInteger failures = new AtomicInteger();
        new LocalWorld(1).run(end -> {
            Operation receive = end.receive(0, 0, 1, sink);
            end.send(0, 0, 1, ints(1));
            end.await(receive);
            assertThat(sink.ends).as("nobody has asked").hasValue(0);
            Thread[] askers = new Thread[2];
            for (int i = 0; i < askers.length; i++) {
                askers[i] = new Thread(() -> failures.addAndGet(receive.failure() == null ? 0 : 1));
                askers[i].start();
            }
            sink.entered.await();
            Operation other = end.receive(0, 0, 2, Plain.sink(Base.INT, new int[1], 0, 1));
            end.send(0, 0, 2, ints(1));
            end.await(other);
            sink.leave.countDown();
            for (Thread asker : askers) {
                asker.join();
            }
            assertThat(receive.failure()).hasMessage("as it should");
        });
        assertThat(sink.ends).hasValue(1);
        assertThat(failures).as("both were told").hasValue(2);
    }
}
