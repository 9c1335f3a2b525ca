package org.posthouse.names.raft;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotReplyProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RaftRpcRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionReplyProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.rpc.RpcType;
import org.apache.ratis.server.RaftServerRpc;
import org.posthouse.names.raft.Frame.Answer;
import org.posthouse.names.raft.Frame.Question;

/**
 * What a judge asks the others. It takes their addresses from the relay's configuration, not from Ratis, whose log remembers those of an earlier start.
 * Thread-safe.
 */
final class JudgeRpc implements RaftServerRpc {
    /** Bytes of a question that even a slow link carries in a millisecond: 1 Mbit/s. */
    private static final int BYTES_PER_MS = 128;

    private final InetSocketAddress own;
    private final Map<String, JudgePeer> peers;
    private final long askMs;

    JudgeRpc(RaftConfig config) {
        own = Addresses.parse(config.judges().get(config.relay()));
        peers = config.judges().keySet().stream()
                .filter(judge -> !judge.equals(config.relay()))
                .collect(Collectors.toMap(Function.identity(), judge -> new JudgePeer(config.relay(), judge, config.set(), config.guard())));
        askMs = config.timing().electionMsMax();
    }

    private byte[] ask(RaftRpcRequestProto request, Question question, byte[] content) throws IOException {
        String judge = request.getReplyId().toStringUtf8();
        JudgePeer peer = peers.get(judge);
        if (peer == null) {
            throw new IOException(judge + " is none of the other judges " + peers.keySet());
        }
        JudgeReply reply = peer.ask(question, content, askMs + content.length / BYTES_PER_MS);
        if (reply.answer() != Answer.DONE) {
            throw new IOException("judge " + judge + ": " + reply.text());
        }
        return reply.content();
    }

    @Override
    public RequestVoteReplyProto requestVote(RequestVoteRequestProto request) throws IOException {
        return RequestVoteReplyProto.parseFrom(ask(request.getServerRequest(), Question.REQUEST_VOTE, request.toByteArray()));
    }

    @Override
    public AppendEntriesReplyProto appendEntries(AppendEntriesRequestProto request) throws IOException {
        return AppendEntriesReplyProto.parseFrom(ask(request.getServerRequest(), Question.APPEND_ENTRIES, request.toByteArray()));
    }

    @Override
    public InstallSnapshotReplyProto installSnapshot(InstallSnapshotRequestProto request) throws IOException {
        return InstallSnapshotReplyProto.parseFrom(ask(request.getServerRequest(), Question.INSTALL_SNAPSHOT, request.toByteArray()));
    }

    @Override
    public StartLeaderElectionReplyProto startLeaderElection(StartLeaderElectionRequestProto request) throws IOException {
        return StartLeaderElectionReplyProto.parseFrom(ask(request.getServerRequest(), Question.START_ELECTION, request.toByteArray()));
    }

    /** The judge starts its port itself, when Ratis can answer. */
    @Override
    public void start() {}

    @Override
    public InetSocketAddress getInetSocketAddress() {
        return own;
    }

    @Override
    public void addRaftPeers(Collection<RaftPeer> added) {}

    @Override
    public void handleException(RaftPeerId judge, Exception fault, boolean reconnect) {}

    @Override
    public RpcType getRpcType() {
        return new JudgeRpcType();
    }

    @Override
    public void close() {
        peers.values().forEach(JudgePeer::close);
    }
}
