package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/** Whatever becomes of packing, who asked is answered, and so is the next. */
@Timeout(120)
class PackingWorkerTest {
    private static final long JOB = 7;

    private final PackingWorker worker = new PackingWorker(Runnable::run);

    @AfterEach
    void close() throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        worker.close(() -> closed.complete(null));
        closed.get(60, TimeUnit.SECONDS);
    }

    private PackingWorker.Packed pack(int bytes) throws Exception {
        CompletableFuture<PackingWorker.Packed> answer = new CompletableFuture<>();
        worker.pack(JOB, List.of(ByteBuffer.allocateDirect(bytes)), answer::complete);
        return answer.get(60, TimeUnit.SECONDS);
    }

    /** Why it could not be; null if it could. */
    private WireException unpack(ByteBuffer in, int bytes) throws Exception {
        CompletableFuture<WireException> answer = new CompletableFuture<>();
        worker.unpack(in, ByteBuffer.allocateDirect(bytes), answer::complete);
        return answer.get(60, TimeUnit.SECONDS);
    }

    @Test
    void oversizedRunIsSentUnpacked() throws Exception {
        int tooLong = Wire.PACKED_BYTES_MAX + 1;
        PackingWorker.Packed failed = pack(tooLong);
        assertThat(failed.frame()).isNull();
        assertThat(failed.after()).isEqualTo(failed.before()).isEqualTo(tooLong);
        PackingWorker.Packed next = pack(Wire.PACKED_BYTES_MAX);
        assertThat(next.frame().readableBytes()).isLessThan(1_000);
        next.frame().release();
    }

    @Test
    void unpackingFailureIsRefusedAsInternalError() throws Exception {
        WireException why = unpack(ByteBuffer.allocateDirect(2 * Wire.PACKED_BYTES_MAX), 100);
        assertThat(why.reason()).isEqualTo(CloseReason.INTERNAL);
        PackingWorker.Packed packed = pack(Wire.PACKED_BYTES_MAX);
        ByteBuffer body = packed.frame().skipBytes(Wire.PACKED_HEADER_BYTES).nioBuffer();
        assertThat(unpack(body, Wire.PACKED_BYTES_MAX)).isNull();
        packed.frame().release();
    }

    @Test
    void aSampleThatCannotBePackedSavesNothing() throws Exception {
        CompletableFuture<PackingWorker.Packed> answer = new CompletableFuture<>();
        worker.measure(ByteBuffer.allocateDirect(Wire.PACKED_BYTES_MAX + 1), answer::complete);
        PackingWorker.Packed failed = answer.get(60, TimeUnit.SECONDS);
        assertThat(failed.after()).isEqualTo(failed.before());
    }
}
