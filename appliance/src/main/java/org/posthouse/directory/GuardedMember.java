package org.posthouse.directory;

import com.hazelcast.config.Config;
import com.hazelcast.instance.AddressPicker;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.DefaultNodeContext;
import com.hazelcast.instance.impl.DefaultNodeExtension;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.instance.impl.NodeExtension;
import com.hazelcast.internal.networking.InboundHandler;
import com.hazelcast.internal.networking.Networking;
import com.hazelcast.internal.networking.nio.NioNetworking;
import com.hazelcast.internal.server.Server;
import com.hazelcast.internal.server.ServerConnection;
import com.hazelcast.internal.server.ServerContext;
import com.hazelcast.internal.server.tcp.LocalAddressRegistry;
import com.hazelcast.internal.server.tcp.ServerSocketRegistry;
import com.hazelcast.internal.server.tcp.TcpServer;
import com.hazelcast.internal.server.tcp.TcpServerAcceptor;
import com.hazelcast.internal.server.tcp.TcpServerConnectionChannelErrorHandler;
import com.hazelcast.internal.server.tcp.TcpServerContext;
import com.hazelcast.logging.ILogger;
import com.hazelcast.logging.LogListener;
import com.hazelcast.logging.LoggingService;
import com.hazelcast.logging.NoLogFactory;
import com.hazelcast.spi.properties.ClusterProperty;
import com.hazelcast.spi.properties.HazelcastProperties;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.ServerSocketChannel;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.logging.Level;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A Hazelcast node with its own acceptor. It listens at a port that it is given, and each connection passes the
 * {@link GroupGuard} before the node reads or writes a byte of it.
 *
 * <p>The overridden methods are public but internal in Hazelcast; ADR 29 says why they are used, and what keeps this
 * safe.
 */
final class GuardedMember extends DefaultNodeContext {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedMember.class);

    private final GroupConfig group;
    private final ServerSocketChannel held;
    private final GroupGuard guard;

    GuardedMember(GroupConfig group, ServerSocketChannel held, GroupGuard guard) {
        this.group = group;
        this.held = held;
        this.guard = guard;
    }

    @Override
    public AddressPicker createAddressPicker(Node node) {
        return new BoundAddress(group, held);
    }

    @Override
    public NodeExtension createNodeExtension(Node node) {
        return new DefaultNodeExtension(node) {
            @SuppressWarnings("rawtypes") // Hazelcast's signature.
            @Override
            public InboundHandler[] createInboundHandlers(EndpointQualifier qualifier, ServerConnection connection, ServerContext context) {
                return new InboundHandler[] {new BoundedPacketDecoder(connection, node.getNodeEngine().getPacketDispatcher(), guard)};
            }
        };
    }

    /** Like Hazelcast's method, with a context of ours. */
    @Override
    public Server createServer(Node node, ServerSocketRegistry registry, LocalAddressRegistry addresses) {
        Config config = node.getConfig();
        ServerContext context = new Door(node);
        return new TcpServer(config, context, registry, addresses, node.getNodeEngine().getMetricsRegistry(), networking(node),
                node.getNodeExtension().createChannelInitializerFn(context));
    }

    private static Networking networking(Node node) {
        HazelcastProperties properties = node.getProperties();
        return new NioNetworking(new NioNetworking.Context()
                .loggingService(node.loggingService)
                .metricsRegistry(node.getNodeEngine().getMetricsRegistry())
                .threadNamePrefix(node.hazelcastInstance.getName())
                .errorHandler(new TcpServerConnectionChannelErrorHandler(node.loggingService.getLogger(TcpServerConnectionChannelErrorHandler.class)))
                .inputThreadCount(properties.getInteger(ClusterProperty.IO_INPUT_THREAD_COUNT))
                .outputThreadCount(properties.getInteger(ClusterProperty.IO_OUTPUT_THREAD_COUNT))
                .balancerIntervalSeconds(properties.getInteger(ClusterProperty.IO_BALANCER_INTERVAL_SECONDS))
                .writeThroughEnabled(properties.getBoolean(ClusterProperty.IO_WRITE_THROUGH_ENABLED))
                .concurrencyDetection(node.getNodeEngine().getConcurrencyDetection()));
    }

    /** The context that Hazelcast asks, for each socket, what to do before its use. */
    private final class Door extends TcpServerContext {
        Door(Node node) {
            super(node, node.getNodeEngine());
        }

        /**
         * Called by the accepting thread once for each connection, before it passes the connection on. The thread waits
         * here while too many connections have not proven anything. A flood of connections thus fills the backlog, and
         * not the process's file table, whose exhaustion would end the member.
         */
        @Override
        public boolean isSocketInterceptorEnabled(EndpointQualifier qualifier) {
            guard.awaitRoom();
            return true;
        }

        @Override
        public void interceptSocket(EndpointQualifier qualifier, Socket socket, boolean accepted) throws IOException {
            socket.getChannel().configureBlocking(true);
            if (accepted) {
                guard.accept(socket.getChannel());
            } else {
                guard.dial(socket.getChannel());
            }
        }

        /**
         * Runs each handshake on its own thread, so that slow ones do not delay others. The guard limits their number.
         */
        @Override
        public Future<Void> submitAsync(Runnable task) {
            FutureTask<Void> handed = new FutureTask<>(task, null);
            Thread.ofVirtual().name("posthouse-group-handshake").start(handed);
            return handed;
        }

        @Override
        public void onFatalError(Exception cause) {
            LOG.error("relay {}: group port {} cannot accept any more, the member stops", group.relay(), group.endpoint(), cause);
            super.onFatalError(cause);
        }

        /**
         * Hides the messages of Hazelcast's accepting thread, which would log each refusal again. The guard logs
         * refusals at a bounded rate.
         */
        @Override
        public LoggingService getLoggingService() {
            return new WithoutAcceptor(super.getLoggingService());
        }
    }

    private record WithoutAcceptor(LoggingService service) implements LoggingService {
        @Override
        public ILogger getLogger(Class<?> type) {
            return type == TcpServerAcceptor.class ? new NoLogFactory().getLogger(type.getName()) : service.getLogger(type);
        }

        @Override
        public ILogger getLogger(String name) {
            return service.getLogger(name);
        }

        @Override
        public void addLogListener(Level level, LogListener listener) {
            service.addLogListener(level, listener);
        }

        @Override
        public void removeLogListener(LogListener listener) {
            service.removeLogListener(listener);
        }

        @Override
        public void shutdown() {
            service.shutdown();
        }
    }
}
