package org.posthouse.directory;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.AdvancedNetworkConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.JavaSerializationFilterConfig;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SerializerConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.EndpointQualifier;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import com.hazelcast.instance.impl.HazelcastInstanceProxy;
import com.hazelcast.instance.impl.Node;
import com.hazelcast.internal.cluster.ClusterService;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.server.ServerConnection;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ServerSocketChannel;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.posthouse.causes.Causes;
import org.posthouse.directory.names.NamesMajority;
import org.posthouse.directory.names.NamesMap;
import org.posthouse.directory.names.NewestNameMergePolicy;

/**
 * Configures Hazelcast. The member listens on one loopback address and port, for other members only, and finds them by
 * a fixed list. It deserialises no Java objects, makes no outside calls and writes no file. docs/directory.md says why.
 */
final class GroupMember {
    static final String MAP = "posthouse.directory";
    static final String RELAY_ATTRIBUTE = "relay";
    private static final int BACKUPS = 2;
    /**
     * Connections that may wait to be accepted; the same number that Hazelcast allows at a port that it binds itself.
     */
    private static final int BACKLOG = 100;
    /**
     * The directory is small, and a table of 31 partitions moves quickly over a WAN. All members must use the same
     * number.
     */
    private static final int PARTITIONS = 31;
    private static final int MERGE_BATCH = 100;
    private static final Set<String> POLICIES = Set.of(NewestWinsMergePolicy.class.getName(), NewestNameMergePolicy.class.getName());
    private static final String NOTHING = "posthouse.nothing";

    private GroupMember() {}

    /**
     * Starts a member and joins the members that answer. Blocks: normally for seconds, for about 30 s if a member's
     * address accepts and stays silent.
     *
     * @param guard checks each of its connections
     * @param proof checks postings of other members
     * @param majority decides whether this member answers for names
     * @param held the member's port, from {@link #hold}; taken over, and closed if the member cannot start
     * @throws GroupException if the member cannot start
     */
    static HazelcastInstance start(GroupConfig group, ServerSocketChannel held, GroupGuard guard, PostingProof proof, NamesMajority majority) {
        try {
            Config config = config(group, proof, majority);
            config.setClassLoader(new GroupClassLoader(
                    POLICIES, why -> guard.refused(GroupRefusal.CLASS, "a member of the group", why)));
            return HazelcastInstanceFactory.newHazelcastInstance(config, config.getInstanceName(), new GuardedMember(group, held, guard));
        } catch (RuntimeException e) {
            release(held, group);
            throw cannotStart(group, e);
        }
    }

    /**
     * Listens at the member's port. Connections that arrive before the member is started are answered when it is.
     *
     * @throws GroupException if the port is in use
     */
    static ServerSocketChannel hold(GroupConfig group) {
        try {
            ServerSocketChannel held = ServerSocketChannel.open();
            try {
                return held.setOption(StandardSocketOptions.SO_REUSEADDR, true)
                        .bind(new InetSocketAddress(group.host(), group.port()), BACKLOG);
            } catch (IOException e) {
                held.close();
                throw e;
            }
        } catch (BindException e) {
            throw portInUse(group, e);
        } catch (IOException e) {
            throw cannotStart(group, e);
        }
    }

    static void release(ServerSocketChannel held, GroupConfig group) {
        try {
            held.close();
        } catch (IOException e) {
            throw cannotStart(group, e);
        }
    }

    private static GroupException portInUse(GroupConfig group, Exception e) {
        return new GroupException("relay " + group.relay() + ": group port " + group.host() + ":" + group.port()
                + " cannot be bound, another process has it or the address is not of this host; stop that process"
                + " or choose another port with --group, or with --tunnel-group at all relays", e);
    }

    private static GroupException cannotStart(GroupConfig group, Exception e) {
        String reason = Causes.text(e).lines().findFirst().orElse("");
        return new GroupException("relay " + group.relay() + ": group member at " + group.host() + ":" + group.port()
                + " cannot start: " + reason, e);
    }

    static Config config(GroupConfig group, PostingProof proof, NamesMajority majority) {
        Config config = new Config();
        config.setClusterName(group.cluster());
        properties(group.timing()).forEach(config::setProperty);
        config.getMemberAttributeConfig().setAttribute(RELAY_ATTRIBUTE, group.relay());
        config.setAdvancedNetworkConfig(network(group));
        config.getSerializationConfig()
                .addDataSerializableFactory(GroupTypes.FACTORY, new GroupTypes(proof, majority))
                .addSerializerConfig(
                        new SerializerConfig().setTypeClass(Throwable.class).setImplementation(new FailureSerializer()))
                .setJavaSerializationFilterConfig(nothingAllowed());
        config.getJetConfig().setEnabled(false);
        config.getMetricsConfig().setEnabled(false);
        config.getManagementCenterConfig().setScriptingEnabled(false).setConsoleEnabled(false);
        config.getManagementCenterConfig().setDataAccessEnabled(false);
        config.addMapConfig(new MapConfig(MAP)
                .setBackupCount(BACKUPS)
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setStatisticsEnabled(false)
                .setMergePolicyConfig(new MergePolicyConfig(NewestWinsMergePolicy.class.getName(), MERGE_BATCH)));
        NamesMap.configure(config, majority);
        return config;
    }

    /** The majority that names of a member need. */
    static NamesMajority majority(GroupConfig group) {
        return new NamesMajority(RELAY_ATTRIBUTE, group.endpoint(), group.members());
    }

    /** The number of the list of members, which grows with each change of it. */
    static long listVersion(HazelcastInstance member) {
        return node(member).getClusterService().getMemberListVersion();
    }

    /** The list of members; also when the member has stopped. */
    static Collection<? extends Member> members(HazelcastInstance member) {
        return node(member).getClusterService().getMembers();
    }

    /**
     * How many members are sent a change of a key, and have to confirm it, the owner among them. Hazelcast sends it to the first members of the partition's
     * table, as many as could have copies. Until the table is repaired after a member was removed, that one is among them in place of a living one.
     */
    static int copies(HazelcastInstance member, String key) {
        ClusterService cluster = node(member).getClusterService();
        InternalPartitionService partitions = node(member).getPartitionService();
        InternalPartition partition = partitions.getPartition(member.getPartitionService().getPartition(key).getPartitionId(), false);
        int copies = 0;
        for (int index = 0; index <= partitions.getMaxAllowedBackupCount(); index++) {
            PartitionReplica replica = partition.getReplica(index);
            if (replica != null && cluster.getMember(replica.address(), replica.uuid()) != null) {
                copies++;
            }
        }
        return copies;
    }

    /** A member's connections with another, by its address. */
    static Collection<ServerConnection> connections(HazelcastInstance member, Address address) {
        return node(member).getServer().getConnectionManager(EndpointQualifier.MEMBER).getAllConnections(address);
    }

    private static Node node(HazelcastInstance member) {
        return ((HazelcastInstanceProxy) member).getOriginal().node;
    }

    /** The advanced configuration has an endpoint for each protocol; only that of members is enabled. */
    private static AdvancedNetworkConfig network(GroupConfig group) {
        ServerSocketEndpointConfig door = new ServerSocketEndpointConfig()
                .setPort(group.port())
                .setPortAutoIncrement(false)
                .setReuseAddress(true);
        JoinConfig join = new JoinConfig();
        join.getMulticastConfig().setEnabled(false);
        join.getAutoDetectionConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(group.members());
        AdvancedNetworkConfig network = new AdvancedNetworkConfig();
        return network.setEnabled(true).setMemberEndpointConfig(door).setJoin(join);
    }

    /**
     * A filter that refuses every class. An empty whitelist would allow all classes, so the list names one that does
     * not exist. The blacklisted prefix matches every name as well.
     */
    private static JavaSerializationFilterConfig nothingAllowed() {
        JavaSerializationFilterConfig filter = new JavaSerializationFilterConfig().setDefaultsDisabled(true);
        filter.getWhitelist().addClasses(NOTHING);
        filter.getBlacklist().addPrefixes("");
        return filter;
    }

    private static Map<String, String> properties(GroupTiming timing) {
        return Map.ofEntries(
                Map.entry("hazelcast.socket.bind.any", "false"),
                Map.entry("hazelcast.socket.server.bind.any", "false"),
                Map.entry("hazelcast.socket.client.bind.any", "false"),
                Map.entry("hazelcast.socket.client.bind", "false"),
                Map.entry("hazelcast.phone.home.enabled", "false"),
                Map.entry("hazelcast.shutdownhook.enabled", "false"),
                Map.entry("hazelcast.jmx", "false"),
                Map.entry("hazelcast.logging.type", "slf4j"),
                Map.entry("hazelcast.logging.emoji.enabled", "false"),
                Map.entry("hazelcast.health.monitoring.level", "OFF"),
                Map.entry("hazelcast.io.thread.count", "1"),
                Map.entry("hazelcast.event.thread.count", "1"),
                Map.entry("hazelcast.operation.thread.count", "2"),
                Map.entry("hazelcast.partition.count", String.valueOf(PARTITIONS)),
                // Milliseconds until a call that cannot succeed ends; the caller writes again.
                Map.entry("hazelcast.operation.call.timeout.millis", "10000"),
                // A write that not all copies have confirmed fails, or a part that is being cut off would answer that it is done.
                Map.entry("hazelcast.operation.fail.on.indeterminate.state", "true"),
                Map.entry("hazelcast.operation.backup.timeout.millis", "1000"),
                Map.entry("hazelcast.wait.seconds.before.join", "1"),
                Map.entry("hazelcast.max.wait.seconds.before.join", "5"),
                Map.entry("hazelcast.graceful.shutdown.max.wait", "4"),
                Map.entry("hazelcast.heartbeat.interval.seconds", String.valueOf(timing.heartbeatSeconds())),
                Map.entry("hazelcast.max.no.heartbeat.seconds", String.valueOf(timing.silenceSecondsMax())),
                // Milliseconds between retries of a refused connection, and the number of retries before the member
                // is removed from the group.
                Map.entry("hazelcast.connection.monitor.interval", "500"),
                Map.entry("hazelcast.connection.monitor.max.faults", "2"),
                Map.entry("hazelcast.merge.first.run.delay.seconds", String.valueOf(timing.mergeSeconds())),
                Map.entry("hazelcast.merge.next.run.delay.seconds", String.valueOf(timing.mergeSeconds())));
    }
}
