package org.posthouse.wire;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What {@link FrameView} costs for the frames of every message, in direct memory as on a connection. No heap at all. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
@State(Scope.Thread)
public class CodecBench {
    private static final int PAYLOAD_BYTES = 64;
    private static final int SEND_BYTES = Wire.MESSAGE_HEADER_BYTES + PAYLOAD_BYTES;
    private static final int POST_BYTES = FrameType.POST.bytesMin();
    private static final long JOB = 0x1122334455667788L;

    private final ByteBuffer send = ByteBuffer.allocateDirect(SEND_BYTES);
    private final ByteBuffer post = ByteBuffer.allocateDirect(POST_BYTES);
    private final FrameView view = new FrameView();
    private long sequence;

    @Setup
    public void encodeBoth() {
        encodeSend();
        encodePost();
    }

    @Benchmark
    public FrameView encodeSend() {
        sequence++;
        return view.wrap(send, 0)
                .begin(FrameType.SEND, Wire.MESSAGE_HEADER_BYTES, JOB)
                .length(SEND_BYTES)
                .address(1, 2, 3, 4)
                .sequence(sequence)
                .content(PAYLOAD_BYTES, PAYLOAD_BYTES, 1);
    }

    /** Checks a frame and reads what the core reads of it. */
    @Benchmark
    public long decodeSend() throws WireException {
        int length = view.wrap(send, 0).checkHeader(SEND_BYTES);
        return length + view.type().ordinal() + view.job() + view.context() + view.source() + view.destination() + view.tag()
                + view.sequence() + view.messageBytes() + view.elements() + view.datatype() + view.failedPolls();
    }

    /** A SEND becomes a DELIVERED and a SEND again: all that is written of a message that passes. */
    @Benchmark
    public FrameView turnSendIntoDelivered() {
        view.wrap(send, 0).type(FrameType.DELIVERED).request((int) ++sequence).failedPolls(0);
        return view.type(FrameType.SEND).request(0);
    }

    @Benchmark
    public FrameView encodePost() {
        return view.wrap(post, 0)
                .begin(FrameType.POST, POST_BYTES, JOB)
                .address(1, 2, 3, 4)
                .post((int) ++sequence, 0);
    }

    @Benchmark
    public long decodePost() throws WireException {
        int length = view.wrap(post, 0).checkHeader(POST_BYTES);
        return length + view.type().ordinal() + view.job() + view.context() + view.source() + view.destination() + view.tag()
                + view.postRequest() + view.postFailedPolls();
    }
}
