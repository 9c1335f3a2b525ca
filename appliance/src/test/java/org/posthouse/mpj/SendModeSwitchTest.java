package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Layout;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.Operation;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.relay.config.ModeChange;
import org.posthouse.relay.config.ModeConfig;
import org.posthouse.relay.config.RelayConfig;
import org.posthouse.wire.Wire;

/** Relays change their mode while ranks talk: nothing is lost, doubled, changed or out of order (P1, P2). */
@Timeout(value = 170, unit = TimeUnit.SECONDS)
class SendModeSwitchTest {
    private static final int CONTEXT = 6;
    private static final int HEADER_BYTES = 16;
    private static final int FAN_OUT = 3;
    private static final int[] SIZES = {0, 0, 8, 500, 4_000, 60_000, 70_000, 200_000, 600_000};

    /** One rank's part: in each round it sends to the next few ranks, and receives as many from whoever comes. */
    private static final class Talk {
        private final Endpoint end;
        private final long[] sent;
        private final long[] received;
        private final Random random;

        private Talk(Endpoint end) {
            this.end = end;
            sent = new long[end.size()];
            received = new long[end.size()];
            random = new Random(end.rank());
        }

        private void round() {
            Operation[] receives = new Operation[FAN_OUT];
            byte[][] rooms = new byte[FAN_OUT][HEADER_BYTES + SIZES[SIZES.length - 1]];
            List<Operation> sends = new ArrayList<>();
            for (int i = 0; i < FAN_OUT; i++) {
                receives[i] = end.receive(
                        CONTEXT, Wire.ANY, 1, new Region(Base.BYTE, Layout.ONE, rooms[i], 0).sink(0, rooms[i].length));
            }
            for (int i = 1; i <= FAN_OUT; i++) {
                int to = (end.rank() + i) % end.size();
                byte[] letter = letter(end.rank(), to, ++sent[to], SIZES[random.nextInt(SIZES.length)]);
                sends.add(end.send(CONTEXT, to, 1, new Region(Base.BYTE, Layout.ONE, letter, 0).content(0, letter.length)));
            }
            for (int i = 0; i < FAN_OUT; i++) {
                end.await(receives[i]);
                check(receives[i].envelope(), rooms[i]);
            }
            sends.forEach(end::await);
        }

        private static byte[] letter(int from, int to, long sequence, int bytes) {
            byte[] letter = new byte[HEADER_BYTES + bytes];
            new Random(from * 31L + to * 17L + sequence).nextBytes(letter);
            ByteBuffer.wrap(letter).putLong(0, sequence).putLong(8, checksum(letter));
            return letter;
        }

        private static long checksum(byte[] letter) {
            CRC32C sum = new CRC32C();
            sum.update(letter, HEADER_BYTES, letter.length - HEADER_BYTES);
            return sum.getValue();
        }

        private void check(Envelope envelope, byte[] room) {
            int from = envelope.source();
            byte[] letter = Arrays.copyOf(room, (int) envelope.bytes());
            ByteBuffer header = ByteBuffer.wrap(letter);
            assertThat(header.getLong(0)).as("sequence from rank " + from).isEqualTo(++received[from]);
            assertThat(header.getLong(8)).as("checksum of " + received[from] + " from rank " + from).isEqualTo(checksum(letter));
        }

        private void checkAllCame(int rounds) {
            for (int i = 1; i <= FAN_OUT; i++) {
                int from = Math.floorMod(end.rank() - i, end.size());
                assertThat(received[from]).as("messages from rank " + from).isEqualTo(rounds);
            }
        }
    }

    @Test
    void sixteenRanksTalkOn() throws Exception {
        sixteenRanksTalkOn(2);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(ints = 1)
    void sixteenRanksTalkOn(int sites) throws Exception {
        int rounds = Boolean.getBoolean("posthouse.long") ? 60 : 30;
        AtomicInteger running = new AtomicInteger(16);
        try (RelayedWorld world = new RelayedWorld(sites, 16);
                ExecutorService operator = Executors.newSingleThreadExecutor()) {
            Future<List<ModeChange>> switching = operator.submit(switchWhile(world, running));
            world.run(end -> {
                Talk talk = new Talk(end);
                for (int round = 0; round < rounds; round++) {
                    talk.round();
                }
                talk.checkAllCame(rounds);
                running.decrementAndGet();
            });
            List<ModeChange> changes = switching.get();
            assertThat(changes).hasSizeGreaterThanOrEqualTo(4 * sites);
            assertThat(changes.stream().mapToInt(ModeChange::moved).max().orElse(0)).isEqualTo(16 / sites);
        }
    }

    /** Through all modes, again and again, until the first rank is done; and once more then. */
    private static Callable<List<ModeChange>> switchWhile(RelayedWorld world, AtomicInteger running) {
        return () -> {
            List<ModeChange> changes = new ArrayList<>();
            RelayConfig.Mode[] modes = RelayConfig.Mode.values();
            for (int i = 1; running.get() == 16 || i <= modes.length; i++) {
                changes.addAll(world.switchMode(ModeConfig.of(modes[i % modes.length])));
            }
            return changes;
        };
    }

    /** A rank that computes has not read the request: it goes on over its old connection until it does. */
    @Test
    void aRankThatComputesIsNotWaitedFor() throws Exception {
        try (RelayedWorld world = new RelayedWorld(1, 3)) {
            world.run(end -> {
                ring(end);
                ring(end);
                if (end.rank() == 0) {
                    List<ModeChange> changes = world.switchMode(ModeConfig.of(RelayConfig.Mode.POOLED));
                    assertThat(changes).singleElement().satisfies(change -> {
                        assertThat(change.asked()).isEqualTo(3);
                        assertThat(change.moved()).as("ranks 1 and 2 wait in a receive").isEqualTo(2);
                        assertThat(change.left()).isEqualTo(1);
                    });
                }
                ring(end);
                Talk talk = new Talk(end);
                talk.round();
                talk.checkAllCame(1);
            });
        }
    }

    /** Two of these, and every rank knows that all others are there. */
    private static void ring(Endpoint end) {
        end.await(end.exchange(CONTEXT, (end.rank() + 1) % 3, 9, nothing(), (end.rank() + 2) % 3, 9, none())[0]);
    }

    private static Sink nothing() {
        return new Region(Base.BYTE, Layout.ONE, new byte[0], 0).sink(0, 0);
    }

    private static Content none() {
        return new Region(Base.BYTE, Layout.ONE, new byte[0], 0).content(0, 0);
    }
}
