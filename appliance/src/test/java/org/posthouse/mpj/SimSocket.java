package org.posthouse.mpj;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketOption;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.Pipe;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.spi.AbstractSelectableChannel;
import java.nio.channels.spi.AbstractSelector;
import java.nio.channels.spi.SelectorProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** A socket of a simulated process, and the selectors that wait for it: as Java's own, over a {@link Cable}. */
final class SimSocket extends SocketChannel {
    private final SimProcess process;
    private final List<SimSelector> waiting = new ArrayList<>();
    private Cable cable;

    SimSocket(SimProcess process) {
        super(new SimSelectors(process));
        this.process = process;
    }

    @Override
    public boolean connect(SocketAddress remote) throws IOException {
        process.requireAlive();
        cable = process.dial(((InetSocketAddress) remote).getPort());
        cable.onReady(() -> waiting.forEach(SimSelector::wakeWaiting));
        return true;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
        process.requireAlive();
        return cable.read(into);
    }

    /** Whoever writes may be interrupted right behind it, as by the system. */
    @Override
    public int write(ByteBuffer from) throws IOException {
        process.requireAlive();
        int count = cable.write(from);
        process.mayPause();
        return count;
    }

    @Override
    protected void implCloseSelectableChannel() {
        if (cable != null) {
            cable.closeByRank(process.isAlive());
        }
    }

    @Override
    public SocketChannel shutdownInput() {
        cable.endInput();
        return this;
    }

    /** Waits for one socket. */
    private static final class SimSelector extends AbstractSelector {
        private final SimProcess process;
        private SimSocket socket;
        private int operation;
        private Thread waiter;
        private boolean woken;

        private SimSelector(SimProcess process, SimSelectors provider) {
            super(provider);
            this.process = process;
        }

        @Override
        protected SelectionKey register(AbstractSelectableChannel channel, int operations, Object attachment) {
            socket = (SimSocket) channel;
            operation = operations;
            socket.waiting.add(this);
            return new Key(this, channel, operations);
        }

        private boolean isReady() {
            process.requireAlive();
            return operation == SelectionKey.OP_READ ? socket.cable.isReadable() : socket.cable.isWritable();
        }

        private void wakeWaiting() {
            if (waiter != null) {
                LockSupport.unpark(waiter);
            }
        }

        @Override
        public int select(Consumer<SelectionKey> action, long timeout) {
            waiter = Thread.currentThread();
            while (!woken && !isReady()) {
                process.park();
            }
            waiter = null;
            woken = false;
            return isReady() ? 1 : 0;
        }

        @Override
        public int selectNow(Consumer<SelectionKey> action) {
            return isReady() ? 1 : 0;
        }

        @Override
        public Selector wakeup() {
            woken = true;
            wakeWaiting();
            return this;
        }

        @Override
        protected void implCloseSelector() {
            socket.waiting.remove(this);
        }

        @Override
        public Set<SelectionKey> keys() {
            return Set.of();
        }

        @Override
        public Set<SelectionKey> selectedKeys() {
            return Set.of();
        }

        @Override
        public int selectNow() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select(long timeout) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int select() {
            throw new UnsupportedOperationException();
        }
    }

    private static final class Key extends SelectionKey {
        private final Selector selector;
        private final AbstractSelectableChannel channel;
        private final int operations;
        private boolean valid = true;

        private Key(Selector selector, AbstractSelectableChannel channel, int operations) {
            this.selector = selector;
            this.channel = channel;
            this.operations = operations;
        }

        @Override
        public AbstractSelectableChannel channel() {
            return channel;
        }

        @Override
        public Selector selector() {
            return selector;
        }

        @Override
        public boolean isValid() {
            return valid;
        }

        @Override
        public void cancel() {
            valid = false;
        }

        @Override
        public int interestOps() {
            return operations;
        }

        @Override
        public SelectionKey interestOps(int operations) {
            throw new UnsupportedOperationException();
        }

        @Override
        public int readyOps() {
            return operations;
        }
    }

    /** What such a socket is made by. */
    private static final class SimSelectors extends SelectorProvider {
        private final SimProcess process;

        private SimSelectors(SimProcess process) {
            this.process = process;
        }

        @Override
        public AbstractSelector openSelector() {
            return new SimSelector(process, this);
        }

        @Override
        public SocketChannel openSocketChannel() {
            return new SimSocket(process);
        }

        @Override
        public DatagramChannel openDatagramChannel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public DatagramChannel openDatagramChannel(ProtocolFamily family) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Pipe openPipe() {
            throw new UnsupportedOperationException();
        }

        @Override
        public ServerSocketChannel openServerSocketChannel() {
            throw new UnsupportedOperationException();
        }
    }

    // ---- what nobody asks for

    @Override
    protected void implConfigureBlocking(boolean block) {}

    @Override
    public <T> SocketChannel setOption(SocketOption<T> name, T value) {
        return this;
    }

    @Override
    public <T> T getOption(SocketOption<T> name) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Set<SocketOption<?>> supportedOptions() {
        return Set.of();
    }

    @Override
    public SocketChannel bind(SocketAddress local) {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketChannel shutdownOutput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Socket socket() {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isConnected() {
        return cable != null;
    }

    @Override
    public boolean isConnectionPending() {
        return false;
    }

    @Override
    public boolean finishConnect() {
        return true;
    }

    @Override
    public SocketAddress getRemoteAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SocketAddress getLocalAddress() {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException();
    }
}
