package org.posthouse.wan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;

/**
 * One connection over a way: two sockets and a flow each way. Confined to the emulator's thread.
 *
 * <p>It ends when both flows have ended, when a socket breaks, when its bytes are used up, or when the way is cut. Both ends
 * are then reset at once.
 */
final class WanConnection {
    private final WanEmulator emulator;
    private final WanWay way;
    private final SocketChannel near;
    private final SocketChannel far;
    private final WanFlow there;
    private final WanFlow back;
    private final SelectionKey nearKey;
    private final SelectionKey farKey;
    private long bytesLeft;
    private int halvesEnded;
    private boolean ended;

    /**
     * @param near has just been accepted
     * @param bytesMax after how many bytes, both directions together, it is cut
     */
    WanConnection(WanEmulator emulator, WanWay way, SocketChannel near, long bytesMax) throws IOException {
        this.emulator = emulator;
        this.way = way;
        this.near = near;
        this.bytesLeft = bytesMax;
        far = SocketChannel.open();
        near.setOption(StandardSocketOptions.TCP_NODELAY, true);
        far.setOption(StandardSocketOptions.TCP_NODELAY, true);
        int receiveBytes = way.back().shape().receiveBytes();
        if (receiveBytes > 0) {
            far.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
        }
        there = new WanFlow(emulator, way.there(), this, near, far);
        back = new WanFlow(emulator, way.back(), this, far, near);
        nearKey = emulator.register(near, 0, key -> onReady(key, there, back));
        farKey = emulator.register(far, SelectionKey.OP_CONNECT, key -> onReady(key, back, there));
    }

    /** Connects the far end. */
    void begin(int targetPort) {
        try {
            if (far.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), targetPort))) {
                connected();
            }
        } catch (IOException e) {
            broken();
        }
    }

    private void onReady(SelectionKey key, WanFlow out, WanFlow in) {
        try {
            if (key.isConnectable()) {
                far.finishConnect();
                connected();
                return;
            }
            if (key.isWritable()) {
                in.write();
            }
            if (key.isValid() && key.isReadable()) {
                out.read();
            }
        } catch (IOException e) {
            broken();
        }
    }

    /** The first byte waits for a round trip, which is what connecting takes. */
    private void connected() {
        farKey.interestOps(0);
        long roundTripNanos = way.there().shape().delayNanos() + way.back().shape().delayNanos();
        emulator.at(System.nanoTime() + roundTripNanos, () -> {
            if (!ended) {
                there.start();
                back.start();
            }
        });
    }

    void interest(SocketChannel channel, int operation, boolean wanted) {
        SelectionKey key = channel == near ? nearKey : farKey;
        if (key.isValid()) {
            key.interestOps(wanted ? key.interestOps() | operation : key.interestOps() & ~operation);
        }
    }

    void count(int bytes) {
        bytesLeft -= bytes;
        if (bytesLeft <= 0) {
            way.countCut();
            end();
        }
    }

    /** The end of one direction has been handed over. */
    void halfEnded() {
        halvesEnded++;
        if (halvesEnded == 2) {
            end();
        }
    }

    /**
     * One of its sockets was reset or refused. The other end hears of it, unless it cannot hear anything: then it is told when it
     * can again.
     */
    void broken() {
        if (ended) {
            return;
        }
        if (way.there().isSilent() || way.back().isSilent()) {
            nearKey.interestOps(0);
            farKey.interestOps(0);
            way.whenHeard(this::end);
        } else {
            end();
        }
    }

    /** Resets both ends. */
    void end() {
        if (ended) {
            return;
        }
        ended = true;
        there.end();
        back.end();
        way.forget(this);
        reset(near, halvesEnded == 2);
        reset(far, halvesEnded == 2);
    }

    private static void reset(SocketChannel channel, boolean orderly) {
        try {
            if (!orderly && channel.isConnected()) {
                channel.setOption(StandardSocketOptions.SO_LINGER, 0);
            }
            channel.close();
        } catch (IOException e) {
            throw new IllegalStateException("cannot close " + channel, e);
        }
    }
}
