package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;
import org.posthouse.wire.Wire;

/** A message of any datatype, kept as bytes until the program says where they shall go: what a matched probe holds. */
final class MatchedMessage implements Sink {
    private Envelope envelope;
    private byte[] bytes;

    @Override
    public void begin(Envelope message) throws ReceiveException {
        envelope = message;
        try {
            bytes = new byte[Math.toIntExact(message.bytes())];
        } catch (OutOfMemoryError | ArithmeticException e) {
            throw new ReceiveException(
                    ReceiveException.Kind.MEMORY,
                    "message of " + message.bytes() + " bytes is lost: a matched probe has to keep it, and the heap of "
                            + Runtime.getRuntime().maxMemory() + " bytes has no room; receive it without one",
                    e);
        }
    }

    @Override
    public void read(long at, ByteBuffer in) {
        in.get(bytes, (int) at, in.remaining());
    }

    @Override
    public void end() {
        // The bytes wait for their sink.
    }

    Envelope envelope() {
        return envelope;
    }

    /** Gives the message to where it shall go. */
    void pass(Sink sink) throws ReceiveException {
        sink.begin(envelope);
        for (long at = 0; at < bytes.length; at += Wire.PAYLOAD_BYTES_MAX) {
            int piece = (int) Math.min(Wire.PAYLOAD_BYTES_MAX, bytes.length - at);
            sink.read(at, ByteBuffer.wrap(bytes, (int) at, piece).slice().order(ByteOrder.LITTLE_ENDIAN));
        }
        sink.end();
    }
}
