package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** A server of Ratis with our settings. Stateless. */
final class RatisServer {
    /** Bytes of one page of the log that the leader sends, and of one of a snapshot. */
    private static final SizeInBytes PAGE = SizeInBytes.ONE_MB;

    private static final SizeInBytes WRITE_BUFFER = SizeInBytes.valueOf("2MB");
    private static final SizeInBytes PENDING_BYTES_MAX = SizeInBytes.valueOf("16MB");
    private static final SizeInBytes CACHE_BYTES_MAX = SizeInBytes.valueOf("16MB");
    private static final int SNAPSHOTS = 2;

    /** A front end repeats a call for answerMs; then its answer need not be remembered. */
    private static final int ANSWERS_REMEMBERED = 3;

    /** Ratis closes a server whose process has stood still for longer. A laptop sleeps, and a debugger stops: never. */
    private static final TimeDuration PAUSE_MAX = TimeDuration.valueOf(3_650, TimeUnit.DAYS);

    private RatisServer() {}

    static RaftGroupId group(RaftConfig config) {
        return RaftGroupId.valueOf(config.set().id());
    }

    /** Opens the folder; the server is started later. */
    static RaftServer open(RaftConfig config, NameStateMachine machine, JudgeRpc rpc) throws IOException {
        List<RaftPeer> judges = config.judges().entrySet().stream()
                .map(judge -> RaftPeer.newBuilder().setId(judge.getKey()).setAddress(judge.getValue()).build())
                .toList();
        boolean isNew = Files.notExists(config.folder().resolve(config.set().id().toString()));
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(config.relay()))
                .setGroup(RaftGroup.valueOf(group(config), judges))
                .setStateMachine(machine)
                .setProperties(properties(config))
                .setParameters(JudgeRpcType.parameters(rpc))
                .setOption(isNew ? RaftStorage.StartupOption.FORMAT : RaftStorage.StartupOption.RECOVER)
                .build();
    }

    private static RaftProperties properties(RaftConfig config) {
        RaftTiming timing = config.timing();
        RaftProperties properties = new RaftProperties();
        RaftConfigKeys.Rpc.setType(properties, new JudgeRpcType());
        RaftServerConfigKeys.setStorageDir(properties, List.of(config.folder().toFile()));
        RaftServerConfigKeys.setCloseThreshold(properties, PAUSE_MAX);
        RaftServerConfigKeys.Rpc.setTimeoutMin(properties, millis(timing.electionMsMin()));
        RaftServerConfigKeys.Rpc.setTimeoutMax(properties, millis(timing.electionMsMax()));
        RaftServerConfigKeys.Rpc.setRequestTimeout(properties, millis(timing.electionMsMax()));
        RaftServerConfigKeys.RetryCache.setExpiryTime(properties, millis(ANSWERS_REMEMBERED * timing.answerMs()));
        RaftServerConfigKeys.Write.setByteLimit(properties, PENDING_BYTES_MAX);
        log(properties, timing);
        RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
        RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, timing.snapshotEntries());
        RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, SNAPSHOTS);
        return properties;
    }

    private static void log(RaftProperties properties, RaftTiming timing) {
        RaftServerConfigKeys.Log.setSegmentSizeMax(properties, SizeInBytes.valueOf(timing.segmentBytes()));
        RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf(timing.segmentBytes()));
        RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, CACHE_BYTES_MAX);
        RaftServerConfigKeys.Log.setWriteBufferSize(properties, WRITE_BUFFER);
        RaftServerConfigKeys.Log.setQueueByteLimit(properties, PENDING_BYTES_MAX);
        RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
        RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
        RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, PAGE);
        RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(properties, PAGE);
    }

    private static TimeDuration millis(int millis) {
        return TimeDuration.valueOf(millis, TimeUnit.MILLISECONDS);
    }
}
