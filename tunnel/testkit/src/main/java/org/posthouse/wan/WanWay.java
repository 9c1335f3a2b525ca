package org.posthouse.wan;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Channel;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.LongSupplier;

/**
 * The network between two sites: ports at one that lead to ports at the other, over a bottleneck in each direction. Its
 * public methods may be called from anywhere; they return when what they say is so.
 */
public final class WanWay {
    private static final int BACKLOG = 256;

    private final WanEmulator emulator;
    private final WanDirection there;
    private final WanDirection back;
    private final List<Door> doors = new ArrayList<>();
    private final Set<WanConnection> connections = new HashSet<>();
    private final List<Runnable> heardLater = new ArrayList<>();
    private LongSupplier bytesPerConnection = () -> Long.MAX_VALUE;
    private boolean down;
    private long cuts;

    /** A port that leads to another. Nobody listens there while the way is down, and nobody else is given the port then. */
    private final class Door {
        private final int targetPort;
        private final SocketChannel place;
        private final SocketAddress address;
        /** Null as long as it was never open. */
        private ServerSocketChannel listener;

        private Door(int targetPort) throws IOException {
            this.targetPort = targetPort;
            this.place = SocketChannel.open().setOption(StandardSocketOptions.SO_REUSEADDR, true);
            this.address = place.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)).getLocalAddress();
        }

        private int port() {
            return ((InetSocketAddress) address).getPort();
        }

        private void open() throws IOException {
            ServerSocketChannel opened = ServerSocketChannel.open().setOption(StandardSocketOptions.SO_REUSEADDR, true);
            int receiveBytes = there.shape().receiveBytes();
            if (receiveBytes > 0) {
                opened.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
            }
            listener = opened.bind(address, BACKLOG);
            emulator.register(listener, SelectionKey.OP_ACCEPT, key -> accept());
        }

        private void accept() throws IOException {
            for (SocketChannel near = listener.accept(); near != null; near = listener.accept()) {
                WanConnection connection = new WanConnection(emulator, WanWay.this, near, bytesPerConnection.getAsLong());
                connections.add(connection);
                connection.begin(targetPort);
            }
        }

        private void shut() {
            if (listener != null) {
                close(listener);
            }
        }

        /** For ever. */
        private void end() {
            shut();
            close(place);
        }

        private void close(Channel channel) {
            try {
                channel.close();
            } catch (IOException e) {
                throw new IllegalStateException("cannot close port " + port(), e);
            }
        }
    }

    WanWay(WanEmulator emulator, WanShape there, WanShape back) {
        this.emulator = emulator;
        this.there = new WanDirection(emulator, there);
        this.back = new WanDirection(emulator, back);
    }

    /** Opens a port that leads over this way to {@code targetPort}, both on loopback, once the way is up. @return the port, for as long as the way is there */
    public int lead(int targetPort) {
        return emulator.call(() -> {
            Door door = new Door(targetPort);
            if (!down) {
                door.open();
            }
            doors.add(door);
            return door.port();
        });
    }

    /** Changes the network from now on. */
    public void shape(WanShape newThere, WanShape newBack) {
        order(() -> {
            there.shape(newThere);
            back.shape(newBack);
        });
    }

    /** Resets all connections; new ones are accepted. What was on its way is lost. */
    public void cut() {
        order(this::cutAll);
    }

    /** Each connection that begins from now on is cut after so many bytes, drawn when it begins. */
    public void cutAfter(LongSupplier bytes) {
        order(() -> bytesPerConnection = bytes);
    }

    /** Resets all connections, and refuses new ones until {@link #up}. */
    public void down() {
        order(() -> {
            if (!down) {
                down = true;
                doors.forEach(Door::shut);
                cutAll();
            }
        });
    }

    /** Accepts connections again, at the same ports. */
    public void up() {
        emulator.call(() -> {
            if (down) {
                down = false;
                for (Door door : doors) {
                    door.open();
                }
            }
            return null;
        });
    }

    /**
     * Half-open: from now on nothing comes through in these directions, connections stay, and neither end is told of anything,
     * not even that the other one is gone. What is heard again after a silence goes on where it stopped.
     */
    public void silent(boolean newThere, boolean newBack) {
        order(() -> {
            there.silent(newThere);
            back.silent(newBack);
            if (!newThere && !newBack) {
                List<Runnable> told = List.copyOf(heardLater);
                heardLater.clear();
                told.forEach(Runnable::run);
            }
        });
    }

    /** Connections that are open now. */
    public int connections() {
        return emulator.call(connections::size);
    }

    /** Connections that were cut because their bytes were used up. */
    public long cuts() {
        return emulator.call(() -> cuts);
    }

    /** Bytes that have left so far, from those who dial. */
    public long bytesThere() {
        return emulator.call(there::bytes);
    }

    /** Bytes that have left so far, towards those who dial. */
    public long bytesBack() {
        return emulator.call(back::bytes);
    }

    // ---- in the emulator's thread

    WanDirection there() {
        return there;
    }

    WanDirection back() {
        return back;
    }

    void countCut() {
        cuts++;
    }

    void whenHeard(Runnable task) {
        heardLater.add(task);
    }

    void forget(WanConnection connection) {
        connections.remove(connection);
    }

    void end() {
        doors.forEach(Door::end);
        cutAll();
    }

    private void cutAll() {
        List.copyOf(connections).forEach(WanConnection::end);
    }

    private void order(Runnable order) {
        Callable<Void> inThread = () -> {
            order.run();
            emulator.letGoOfClosed();
            return null;
        };
        emulator.call(inThread);
    }
}
