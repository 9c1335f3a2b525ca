package mpi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.posthouse.mpj.data.Base;
import org.posthouse.mpj.data.Region;
import org.posthouse.mpj.data.UnwritableException;
import org.posthouse.mpj.operation.Content;
import org.posthouse.mpj.operation.Envelope;
import org.posthouse.mpj.operation.ReceiveException;
import org.posthouse.mpj.operation.Sink;

/**
 * Pack and Unpack. Primitive elements are packed as a message carries them, so that packed bytes may be received with
 * their own datatypes; each object is a serialization stream of its own behind its length in four bytes. Stateless.
 */
final class Packing {
    /** Bytes that {@link #size} assumes for an object. */
    private static final int OBJECT_BYTES_GUESS = 1024;

    private Packing() {}

    static int pack(
            Communicator comm, String call, Object inbuf, int offset, int count, Datatype type, byte[] outbuf,
            int position) {
        comm.requireLive(call);
        comm.check.buffer(call, "input buffer", inbuf, offset, count, type);
        ByteBuffer out = bytes(comm, call, outbuf, position);
        Region elements = type.region(inbuf, offset).inDataElements();
        int dataElements = count * type.size();
        try {
            if (type.base() != Base.OBJECT) {
                append(comm, call, out, elements.content(0, dataElements));
                return out.position();
            }
            for (int at = 0; at < dataElements; at++) {
                Content object = elements.content(at, 1);
                requireRoom(comm, call, out, Integer.BYTES + object.bytes());
                out.putInt((int) object.bytes());
                append(comm, call, out, object);
            }
            return out.position();
        } catch (UnwritableException e) {
            throw comm.check.error(Communicator.errorClass(e), call, "the input buffer's " + e.getMessage(), e);
        }
    }

    static int unpack(
            Communicator comm, String call, byte[] inbuf, int position, Object outbuf, int offset, int count,
            Datatype type) {
        comm.requireLive(call);
        comm.check.result(call, "output buffer", outbuf, offset, count, type);
        ByteBuffer in = bytes(comm, call, inbuf, position);
        Region room = type.region(outbuf, offset).inDataElements();
        int dataElements = count * type.size();
        try {
            if (type.base() != Base.OBJECT) {
                take(comm, call, in, room.bytes(dataElements), room.sink(0, dataElements), type, dataElements);
                return in.position();
            }
            for (int at = 0; at < dataElements; at++) {
                requireRoom(comm, call, in, Integer.BYTES);
                take(comm, call, in, in.getInt(), room.sink(at, 1), type, 1);
            }
            return in.position();
        } catch (ReceiveException e) {
            throw comm.check.error(Communicator.errorClass(e), call, e.getMessage(), e);
        }
    }

    static int size(Communicator comm, String call, int count, Datatype type) {
        comm.requireLive(call);
        comm.check.count(call, "elements", count, type);
        long elements = (long) count * type.size();
        long bytes = elements * (type.base() == Base.OBJECT ? OBJECT_BYTES_GUESS : type.bytes());
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    private static ByteBuffer bytes(Communicator comm, String call, byte[] buffer, int position) {
        if (buffer == null || position < 0 || position > buffer.length) {
            throw comm.check.error(
                    buffer == null ? MPI.ERR_BUFFER : MPI.ERR_ARG, call,
                    buffer == null
                            ? "the packed buffer is null"
                            : "position is " + position + ", expected 0 to its length " + buffer.length);
        }
        return ByteBuffer.wrap(buffer).position(position).order(ByteOrder.LITTLE_ENDIAN);
    }

    private static void append(Communicator comm, String call, ByteBuffer out, Content content) {
        requireRoom(comm, call, out, content.bytes());
        int bytes = (int) content.bytes();
        content.write(0, out.slice(out.position(), bytes).order(ByteOrder.LITTLE_ENDIAN));
        out.position(out.position() + bytes);
    }

    private static void take(
            Communicator comm, String call, ByteBuffer in, long bytes, Sink sink, Datatype type, int elements)
            throws ReceiveException {
        requireRoom(comm, call, in, bytes);
        sink.begin(new Envelope(0, 0, bytes, elements, type.base().code()));
        sink.read(0, in.slice(in.position(), (int) bytes).order(ByteOrder.LITTLE_ENDIAN));
        sink.end();
        in.position(in.position() + (int) bytes);
    }

    private static void requireRoom(Communicator comm, String call, ByteBuffer buffer, long bytes) {
        if (bytes < 0 || bytes > buffer.remaining()) {
            throw comm.check.error(
                    MPI.ERR_TRUNCATE, call,
                    bytes + " bytes from position " + buffer.position() + " on, expected at most the "
                            + buffer.remaining() + " up to the packed buffer's end");
        }
    }
}
