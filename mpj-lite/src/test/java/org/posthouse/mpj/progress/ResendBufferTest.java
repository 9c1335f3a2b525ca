package org.posthouse.mpj.progress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.posthouse.mpj.ScriptedRelay;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** What of a rank's frames is kept, where, and for how long. */
final class ResendBufferTest {
    private static final int BYTES_MAX = 4 << 20;

    /** Of the shortest frames here: a destination stands in them. */
    private static final int HEADER_BYTES = 32;

    /** 0, 1, … 255, and again: payloads of any mark are parts of it. */
    private static final byte[] PATTERN = new byte[256 + Wire.FRAME_BYTES_MAX];

    static {
        for (int i = 0; i < PATTERN.length; i++) {
            PATTERN[i] = (byte) i;
        }
    }

    /** Ranks 0 and 1 are at home here, rank 2 at another site. */
    private final ResendBuffer resendBuffer = new ResendBuffer(BYTES_MAX, new int[] {0, 0, 1});

    /** Writes a frame of so many bytes, and lets it leave. Its bytes. */
    private byte[] write(FrameType type, int bytes, int mark) {
        return write(type, bytes, mark, 1);
    }

    private byte[] write(FrameType type, int bytes, int mark, int destination) {
        if (!resendBuffer.fits(bytes)) {
            resendBuffer.left();
        }
        FrameView frame = resendBuffer.begin(bytes).begin(type, HEADER_BYTES, mark).address(4, 0, destination, 7);
        ByteBuffer payload = resendBuffer.payload(HEADER_BYTES, bytes - HEADER_BYTES);
        payload.put(PATTERN, mark * 31 & 0xff, payload.remaining());
        resendBuffer.end(bytes);
        assertThat(frame.length()).isEqualTo(bytes);
        ByteBuffer leaving = resendBuffer.leaving().duplicate();
        byte[] written = new byte[bytes];
        leaving.get(leaving.limit() - bytes, written);
        return written;
    }

    private void acknowledged(long safe, long handled, long... firstUnsafe) throws WireException {
        resendBuffer.acknowledged(new FrameView().wrap(ScriptedRelay.ack(safe, handled, firstUnsafe), 0));
    }

    private void send(int bytes) {
        write(FrameType.SEND, bytes, 1);
        resendBuffer.left();
    }

    /** Where the next frame leaves from. */
    private int place() {
        write(FrameType.SEND, 64, 1);
        int place = resendBuffer.leaving().position();
        resendBuffer.left();
        return place;
    }

    private List<byte[]> repeat(ResendBuffer.Judge judge) throws WireException {
        List<byte[]> frames = new ArrayList<>();
        resendBuffer.repeat(judge, frame -> {
            byte[] bytes = new byte[frame.remaining()];
            frame.get(bytes);
            frames.add(bytes);
        });
        return frames;
    }

    @Test
    void aPingPongStaysInOnePlace() throws Exception {
        for (int round = 1; round < 1_000; round++) {
            assertThat(place()).isZero();
            acknowledged(round, round);
        }
    }

    @Test
    void unretainedFramesReuseTheSameSpace() {
        for (int i = 0; i < 1_000; i++) {
            write(FrameType.POST, 48, 2);
            assertThat(resendBuffer.leaving().position()).isZero();
            resendBuffer.left();
        }
        assertThat(resendBuffer.next()).isEqualTo(1);
    }

    @Test
    void isFullUntilEnoughIsSafe() throws Exception {
        int frames = 0;
        while (!resendBuffer.isFull()) {
            send(Wire.FRAME_BYTES_MAX);
            frames++;
        }
        assertThat(frames).isBetween(BYTES_MAX / Wire.FRAME_BYTES_MAX - 4, BYTES_MAX / Wire.FRAME_BYTES_MAX + 1);
        acknowledged(1, 1);
        assertThat(resendBuffer.isFull()).as("a segment is free when all of it is safe").isTrue();
        acknowledged(frames - 1, frames);
        assertThat(resendBuffer.isFull()).isFalse();
    }

    @Test
    void aStreamThatIsSafeInTimeIsNeverFull() throws Exception {
        for (int frame = 1; frame < 2_000; frame++) {
            send(Wire.FRAME_BYTES_MAX);
            assertThat(resendBuffer.isFull()).isFalse();
            acknowledged(Math.max(0, frame - 16), frame);
        }
    }

    @Test
    void postedReceivesOccupyNoSpaceBesideUnstableSend() throws Exception {
        byte[] send = write(FrameType.SEND, 1_000, 5);
        for (int i = 0; i < 10 * BYTES_MAX / 48; i++) {
            write(FrameType.POST, 48, 2);
        }
        assertThat(resendBuffer.isFull()).isFalse();
        resendBuffer.broken();
        assertThat(repeat(frame -> ResendBuffer.Fate.WRITTEN)).usingRecursiveComparison().isEqualTo(List.of(send));
    }

    @Test
    void numbersGoOnBehindABreak() throws Exception {
        send(100);
        send(200);
        send(300);
        acknowledged(1, 2);
        resendBuffer.broken();
        assertThat(resendBuffer.next()).isEqualTo(4);
        assertThat(repeat(frame -> frame.length() == 200 ? ResendBuffer.Fate.KEPT : ResendBuffer.Fate.WRITTEN)).hasSize(1);
        assertThat(resendBuffer.next()).isEqualTo(5);
        acknowledged(3, 3);
        resendBuffer.broken();
        assertThat(repeat(frame -> ResendBuffer.Fate.WRITTEN)).as("what was not written again is safe with all before").hasSize(1);
        assertThat(resendBuffer.next()).isEqualTo(6);
    }

    @Test
    void moreThanWasWrittenIsNotSafe() {
        send(100);
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> acknowledged(2, 1))
                .withMessageContaining("ACK of 2 safe and 1 handled frames, 1 were written");
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> acknowledged(1, 2));
    }

    @Test
    void ackRequestIsAnsweredWhenItsFrameIsHandled() throws Exception {
        send(100);
        resendBuffer.begin(32).begin(FrameType.EVENTS, 32, 1).flags(FrameView.ACK_NOW);
        resendBuffer.end(32);
        resendBuffer.left();
        send(100);
        assertThat(resendBuffer.isAnswered()).isFalse();
        acknowledged(0, 1);
        assertThat(resendBuffer.isAnswered()).isFalse();
        acknowledged(0, 2);
        assertThat(resendBuffer.isAnswered()).isTrue();
        resendBuffer.broken();
        assertThat(resendBuffer.isAnswered()).as("it has a new number").isFalse();
        repeat(frame -> ResendBuffer.Fate.WRITTEN);
        acknowledged(3, 4);
        assertThat(resendBuffer.isAnswered()).isFalse();
        acknowledged(3, 5);
        assertThat(resendBuffer.isAnswered()).isTrue();
    }

    @Test
    void sendToUnreachableSiteDoesNotBlockOtherFrames() throws Exception {
        byte[] parked = write(FrameType.SEND, 1_000, 5, 2);
        resendBuffer.left();
        for (int megabytes = 0; megabytes < 20 * (BYTES_MAX >> 20); megabytes++) {
            for (int i = 0; i < 16; i++) {
                send(Wire.FRAME_BYTES_MAX);
            }
            write(FrameType.EVENTS, 48, 3, 9);
            resendBuffer.left();
            long last = resendBuffer.next() - 1;
            acknowledged(0, last, last + 1, 1);
            assertThat(resendBuffer.isFull()).isFalse();
        }
        resendBuffer.broken();
        List<byte[]> frames = repeat(frame -> ResendBuffer.Fate.WRITTEN);
        assertThat(frames.get(0)).isEqualTo(parked);
        assertThat(frames).as("what is safe was let go, but for the newest").hasSizeLessThan(2 * BYTES_MAX / Wire.FRAME_BYTES_MAX);
    }

    @Test
    void sendsToUnreachableSiteFillTheBuffer() throws Exception {
        int bytes = 0;
        for (int round = 0; round < 3; round++) {
            while (!resendBuffer.isFull()) {
                bytes += write(FrameType.SEND, 10_000, 1, 2).length;
                resendBuffer.left();
            }
            acknowledged(0, resendBuffer.next() - 1, resendBuffer.next(), 1);
        }
        assertThat(resendBuffer.isFull()).as("nothing of it is safe").isTrue();
        assertThat(bytes).isBetween(BYTES_MAX - 100_000, BYTES_MAX + 10_000);
        long last = resendBuffer.next() - 1;
        acknowledged(0, last, last + 1, last);
        assertThat(resendBuffer.isFull()).isFalse();
        acknowledged(last, last);
        resendBuffer.broken();
        assertThat(repeat(frame -> ResendBuffer.Fate.WRITTEN)).isEmpty();
    }

    @Test
    void anAckMustNameTheHomesOfTheJobOrNone() {
        send(100);
        assertThatExceptionOfType(WireException.class)
                .isThrownBy(() -> acknowledged(0, 1, 2))
                .withMessage("ACK of 40 bytes, which names 1 homes, expected 2");
        assertThatExceptionOfType(WireException.class).isThrownBy(() -> {
            ByteBuffer ragged = ScriptedRelay.ack(0, 1, 2, 1, 1);
            resendBuffer.acknowledged(new FrameView().wrap(ragged, 0).length(ragged.capacity() - 4));
        });
    }

    /** A frame as the model knows it. */
    private static final class Known {
        private final byte[] bytes;
        private final int home;
        private long number;

        Known(byte[] bytes, int home, long number) {
            this.bytes = bytes;
            this.home = home;
            this.number = number;
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void retainsExactlyTheUnstableSends(long seed) throws Exception {
        Random random = new Random(seed);
        List<Known> model = new ArrayList<>();
        int sizes = seed % 2 == 0 ? 200 : Wire.FRAME_BYTES_MAX - HEADER_BYTES;
        for (int step = 0; step < 3_000; step++) {
            int what = random.nextInt(100);
            if (what < 60 && !resendBuffer.isFull()) {
                byte[] bytes = write(FrameType.SEND, HEADER_BYTES + random.nextInt(sizes), step);
                model.add(new Known(bytes, 0, resendBuffer.next() - 1));
            } else if (what < 90) {
                write(FrameType.POST, 48, step);
            } else if (what < 99) {
                long safe = random.nextInt(4) == 0 ? resendBuffer.next() - 1 : random.nextLong(resendBuffer.next());
                resendBuffer.left();
                acknowledged(safe, resendBuffer.next() - 1);
                model.removeIf(each -> each.number <= safe);
            } else {
                comeAgain(model, random);
            }
            if (random.nextBoolean()) {
                resendBuffer.left();
            }
        }
        comeAgain(model, random);
    }

    /** What an ACK calls safe by its home may be let go of or not; nothing else may, and what is not let go of stays in its order. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void keepsAllThatIsNotSafeAtItsHome(long seed) throws Exception {
        Random random = new Random(seed);
        List<Known> model = new ArrayList<>();
        long[] firstUnsafe = {1, 1};
        int[] setAside = new int[1];
        for (int step = 0; step < 20_000; step++) {
            int what = random.nextInt(100);
            if (what < 70 && !resendBuffer.isFull()) {
                int destination = random.nextInt(20) == 0 ? 2 : random.nextInt(2);
                byte[] bytes = write(FrameType.SEND, HEADER_BYTES + random.nextInt(20_000), step, destination);
                model.add(new Known(bytes, destination / 2, resendBuffer.next() - 1));
                resendBuffer.left();
            } else if (what < 99) {
                long handled = resendBuffer.next() - 1;
                firstUnsafe[0] = Math.max(firstUnsafe[0], handled + 1 - random.nextInt(5));
                firstUnsafe[1] += random.nextInt(40) == 0 ? random.nextLong(handled + 2 - firstUnsafe[1]) : 0;
                boolean full = resendBuffer.isFull();
                acknowledged(Math.min(firstUnsafe[0], firstUnsafe[1]) - 1, handled, firstUnsafe);
                setAside[0] += full && !resendBuffer.isFull() ? 1 : 0;
                model.removeIf(each -> each.number < Math.min(firstUnsafe[0], firstUnsafe[1]));
            } else {
                resendBuffer.broken();
                List<Known> still = new ArrayList<>();
                int[] at = new int[1];
                repeat(frame -> {
                    Known next = model.get(at[0]++);
                    while (frame.job() != new FrameView().wrap(ByteBuffer.wrap(next.bytes), 0).job()) {
                        assertThat(next.number).as("let go of before it was safe").isLessThan(firstUnsafe[next.home]);
                        next = model.get(at[0]++);
                    }
                    next.number = resendBuffer.next();
                    still.add(next);
                    return ResendBuffer.Fate.WRITTEN;
                });
                model.subList(at[0], model.size())
                        .forEach(next -> assertThat(next.number).isLessThan(firstUnsafe[next.home]));
                model.clear();
                model.addAll(still);
                firstUnsafe[0] =
                        Math.max(firstUnsafe[0],
                                still.stream().filter(each -> each.home == 0).mapToLong(each -> each.number).min().orElse(resendBuffer.next()));
                firstUnsafe[1] =
                        Math.max(firstUnsafe[1],
                                still.stream().filter(each -> each.home == 1).mapToLong(each -> each.number).min().orElse(resendBuffer.next()));
            }
        }
        assertThat(setAside[0]).as("times that it was full and what was safe made room").isGreaterThan(2);
    }

    private void comeAgain(List<Known> model, Random random) throws WireException {
        long last = resendBuffer.next() - 1;
        resendBuffer.broken();
        List<Known> judged = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        List<Known> before = List.copyOf(model);
        int[] index = new int[1];
        List<byte[]> written = repeat(frame -> {
            Known next = before.get(index[0]++);
            ResendBuffer.Fate fate = ResendBuffer.Fate.values()[random.nextInt(3)];
            assertThat(frame.length()).isEqualTo(next.bytes.length);
            if (fate == ResendBuffer.Fate.WRITTEN) {
                expected.add(next.bytes);
            }
            if (fate != ResendBuffer.Fate.FORGOTTEN) {
                next.number = last + expected.size();
                judged.add(next);
            }
            return fate;
        });
        assertThat(index[0]).isEqualTo(before.size());
        assertThat(buffers(written)).isEqualTo(buffers(expected));
        model.clear();
        model.addAll(judged);
    }

    private static List<ByteBuffer> buffers(List<byte[]> frames) {
        return frames.stream().map(ByteBuffer::wrap).toList();
    }
}
