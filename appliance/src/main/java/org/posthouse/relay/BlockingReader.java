package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.posthouse.causes.Causes;
import org.posthouse.relay.io.BlockingByteSink;
import org.posthouse.relay.io.ReadBuffers;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;

/** Reads one connection in blocking style, on a virtual thread of its own, until it ends. */
final class BlockingReader implements Runnable {
    private static final int READ_BYTES_FIRST = 4 * 1024;

    private final SocketChannel socket;
    private final BlockingByteSink outlet;
    private final Connection connection;
    private int readBytes = READ_BYTES_FIRST;

    BlockingReader(SocketChannel socket, BlockingByteSink outlet, Connection connection) {
        this.socket = socket;
        this.outlet = outlet;
        this.connection = connection;
    }

    @Override
    public void run() {
        ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(readBytes, readBytes);
        try {
            while (read(buffer)) {
                connection.onBytes(buffer);
                outlet.awaitReading();
                buffer = next(buffer);
            }
        } catch (IOException e) {
            connection.line().cut(CloseNotice.closing(0, CloseReason.NORMAL, Causes.text(e)));
        } catch (VirtualMachineError e) {
            FatalErrorExit.report(e);
            throw e;
        } finally {
            buffer.release();
            connection.onEnded();
        }
    }

    private boolean read(ByteBuf buffer) throws IOException {
        int most = Math.min(buffer.writableBytes(), ReadBuffers.most(connection.frames()));
        int bytes = socket.read(buffer.internalNioBuffer(buffer.writerIndex(), most));
        if (bytes <= 0) {
            return false;
        }
        buffer.writerIndex(buffer.writerIndex() + bytes);
        return true;
    }

    /** The buffer for the next read: that of an incomplete long frame, or the same buffer, emptied if possible. */
    private ByteBuf next(ByteBuf buffer) {
        ByteBuf incomplete = connection.frames().toFill();
        if (incomplete != null) {
            incomplete.retain();
            buffer.release();
            return incomplete;
        }
        return emptied(buffer);
    }

    /** The same buffer, unless frames in it are held or the last read filled it. */
    private ByteBuf emptied(ByteBuf buffer) {
        boolean filled = buffer.writerIndex() == buffer.capacity();
        int most = ReadBuffers.comeLong(connection.frames()) ? ReadBuffers.LONG_BUFFER_BYTES : ReadBuffers.BUFFER_BYTES;
        if (buffer.refCnt() == 1 && buffer.capacity() >= readBytes && buffer.capacity() <= most && !(filled && readBytes < most)) {
            return buffer.clear();
        }
        buffer.release();
        readBytes = Math.min(most, filled ? 4 * readBytes : readBytes);
        return ByteBufAllocator.DEFAULT.directBuffer(readBytes, readBytes);
    }
}
