package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.determinant.DeterminantLog;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.SendMode;
import org.posthouse.mpj.operation.Sink;

/** The library's end and the relay's end of modes and of taking back, over real sockets, on one site and over a link. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RelayEndpointTest {
    private static final int CONTEXT = 6;

    private static Content bytes(int count, int value) {
        byte[] array = new byte[count];
        Arrays.fill(array, (byte) value);
        return new Region(Base.BYTE, Layout.ONE, array, 0).content(0, count);
    }

    private static Sink room(byte[] array) {
        return new Region(Base.BYTE, Layout.ONE, array, 0).sink(0, array.length);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "2, 3000000"})
    void synchronousSendEndsWhenItIsMatched(int sites, int count) throws Exception {
        try (RelayedWorld world = new RelayedWorld(sites, 2)) {
            world.run(end -> {
                byte[] array = new byte[count];
                if (end.rank() == 0) {
                    Operation send = end.send(CONTEXT, 1, 1, bytes(count, 7), SendMode.SYNCHRONOUS);
                    Operation late = end.receive(CONTEXT, 1, 2, room(new byte[0]));
                    end.await(late);
                    assertThat(end.test(send)).as("nobody has received it").isFalse();
                    end.send(CONTEXT, 1, 3, bytes(0, 0));
                    end.await(send);
                } else {
                    end.probe(CONTEXT, 0, 1);
                    end.send(CONTEXT, 0, 2, bytes(0, 0));
                    end.await(end.receive(CONTEXT, 0, 3, room(new byte[0])));
                    Operation receive = end.receive(CONTEXT, 0, 1, room(array));
                    end.await(receive);
                    assertThat(receive.failure()).isNull();
                    assertThat(receive.envelope().bytes()).isEqualTo(count);
                    byte[] sent = new byte[count];
                    Arrays.fill(sent, (byte) 7);
                    assertThat(array).isEqualTo(sent);
                }
            });
        }
    }

    @Tag("long")
    @ParameterizedTest
    @CsvSource({"1, 1", "1, 300000", "2, 0", "2, 5", "2, 65536"})
    void synchronousSendsOfOtherLengthsDoSoToo(int sites, int count) throws Exception {
        synchronousSendEndsWhenItIsMatched(sites, count);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void cancelledReceivesAndOffersHaveNoEffect(int sites) throws Exception {
        try (RelayedWorld world = new RelayedWorld(sites, 2)) {
            world.run(end -> {
                int other = 1 - end.rank();
                byte[] got = new byte[1];
                byte[] never = new byte[1];
                for (int round = 1; round < 50; round++) {
                    Operation receive = end.receive(CONTEXT, other, 1, room(never));
                    Operation offer = end.send(CONTEXT, other, 2, bytes(1, 99), SendMode.SYNCHRONOUS);
                    assertThat(end.cancel(receive)).isTrue();
                    assertThat(end.cancel(offer)).isTrue();
                    assertThat(receive.isCancelled() && offer.isCancelled()).isTrue();
                    assertThat(receive.envelope()).isNull();
                    end.await(end.exchange(CONTEXT, other, 3, room(never), other, 3, bytes(0, 0))[0]);
                    Operation sent = end.send(CONTEXT, other, 2, bytes(1, round));
                    assertThat(end.cancel(sent)).as("it has left").isFalse();
                    Operation taken = end.receive(CONTEXT, other, 2, room(got));
                    end.await(taken);
                    assertThat(end.cancel(taken)).isFalse();
                    assertThat(got[0]).isEqualTo((byte) round);
                    end.await(end.exchange(CONTEXT, other, 3, room(never), other, 3, bytes(0, 0))[0]);
                }
                assertThat(never[0]).isZero();
            });
        }
    }

    /** Both ends at once: rank 0 offers and withdraws, rank 1 receives and cancels; all that was sent is received once. */
    @ParameterizedTest
    @CsvSource({"1, 0", "2, 1", "2, 200000"})
    void raceOfCancelsHasSameOutcomeAtBothEnds(int sites, int count) throws Exception {
        int rounds = 300;
        long[] done = new long[2];
        try (RelayedWorld world = new RelayedWorld(sites, 2)) {
            world.run(end -> {
                byte[] array = new byte[count];
                for (int round = 0; round < rounds; round++) {
                    Operation operation = end.rank() == 0
                            ? end.send(CONTEXT, 1, 1, bytes(count, 3), SendMode.SYNCHRONOUS)
                            : end.receive(CONTEXT, 0, 1, room(array));
                    if (!end.cancel(operation)) {
                        end.await(operation);
                        done[end.rank()]++;
                    }
                }
                Operation last = end.rank() == 0
                        ? end.send(CONTEXT, 1, 2, bytes(0, 0), SendMode.SYNCHRONOUS)
                        : end.receive(CONTEXT, 0, 2, room(array));
                end.await(last);
            });
        }
        assertThat(done[0]).isEqualTo(done[1]).isLessThanOrEqualTo(rounds);
    }

    /** The rest of its message is thrown away, and the connection goes on. */
    @ParameterizedTest
    @ValueSource(ints = {10, 65_536, 3_000_000})
    void aSinkThatFailsEndsItsReceiveOnly(int count) throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                byte[] next = new byte[count];
                if (end.rank() == 0) {
                    Operation large = end.send(CONTEXT, 1, 1, bytes(count, 7));
                    end.await(end.send(CONTEXT, 1, 2, bytes(count, 8)));
                    end.await(large);
                    return;
                }
                Operation fails = end.receive(CONTEXT, 0, 1, new NoRoom());
                end.await(end.receive(CONTEXT, 0, 2, room(next)));
                end.await(fails);
                assertThat(fails.failure().kind()).isEqualTo(ReceiveException.Kind.MEMORY);
                assertThat(next).containsOnly(8);
            });
        }
    }

    private static final class NoRoom implements Sink {
        @Override
        public void begin(Envelope envelope) {
            throw new OutOfMemoryError("no room for " + envelope.bytes() + " bytes");
        }

        @Override
        public void read(long at, ByteBuffer in) {
            throw new AssertionError("read without room");
        }

        @Override
        public void end() {
            throw new AssertionError("ended without room");
        }
    }

    @Test
    void failedPollsAreReportedBeforeTheirCountOverflows() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 2)) {
            world.run(end -> {
                int other = 1 - end.rank();
                Operation receive = end.receive(CONTEXT, other, 1, room(new byte[1]));
                for (int i = 0; i < 5; i++) {
                    ((RelayEndpoint) end).countFailedPolls(DeterminantLog.POLLS_MOST - 3);
                    for (int poll = 0; poll < 5; poll++) {
                        assertThat(end.tryProbe(CONTEXT, other, 2)).isNull();
                    }
                    ((RelayEndpoint) end).countFailedPolls(DeterminantLog.POLLS_MOST - 1);
                }
                end.await(end.send(CONTEXT, other, 1, bytes(1, 1)));
                end.await(receive);
            });
        }
    }
}
