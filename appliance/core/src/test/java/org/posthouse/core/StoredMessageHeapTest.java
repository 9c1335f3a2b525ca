package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;

/** The heap that a message takes while it waits in the log: the arithmetic of {@link CoreConfig} stands on it. Alone in the JVM, whose heap is looked at. */
@Isolated
final class StoredMessageHeapTest {
    private static final int MESSAGES = 200_000;
    private static final int BYTES_MAX = 150;

    private final MemoryMXBean memory = ManagementFactory.getMemoryMXBean();

    @Test
    void messageInTheLogTakesNoMoreThanTheArithmeticSays() {
        Mailbox mailbox = new Mailbox(4);
        Frames frames = new Frames(OneRelay.JOB);
        store(mailbox, frames, 1, 1_000);
        long before = usedBytes();
        store(mailbox, frames, 1_001, MESSAGES);
        long bytes = (usedBytes() - before) / MESSAGES;
        System.out.println("heap bytes of a message that waits in the log: " + bytes);
        assertThat(bytes).isBetween(50L, (long) BYTES_MAX);
        assertThat(mailbox.unexpected()).isEqualTo(MESSAGES + 1_000);
    }

    private static void store(Mailbox mailbox, Frames frames, long first, int count) {
        ParcelLedger ledger = new ParcelLedger();
        for (long sequence = first; sequence < first + count; sequence++) {
            ByteBuffer frame = frames.message(FrameType.SEND, 0, 3, 1, 0, sequence, 10);
            Message message = Message.of(new FrameView().wrap(frame, 0), new TestParcel(ledger, frame));
            mailbox.accept(message, null);
            message.leaveMemory();
        }
    }

    private long usedBytes() {
        System.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }
}
