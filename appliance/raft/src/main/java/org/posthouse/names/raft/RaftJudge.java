package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.InstallSnapshotRequestProto;
import org.apache.ratis.proto.RaftProtos.RequestVoteRequestProto;
import org.apache.ratis.proto.RaftProtos.StartLeaderElectionRequestProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.rpc.CallId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameService;
import org.posthouse.names.raft.Frame.Question;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One judge: a Raft server of Apache Ratis with the names as its state machine, and a port at which relays and other judges ask. Thread-safe. Questions block
 * the thread that asks, for at most {@link RaftTiming#answerMs}.
 */
final class RaftJudge implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RaftJudge.class);

    /** Bytes of a front end's id. */
    static final int CLIENT_BYTES = 16;

    private final RaftConfig config;
    private final NameStateMachine machine = new NameStateMachine(this::logFailed);
    private final AtomicBoolean failed = new AtomicBoolean();
    private final ClientId ownId = ClientId.randomId();
    private final ReadBarrier barrier = new ReadBarrier(() -> submit(ownId, CallId.getAndIncrement(), ByteString.EMPTY));
    private final JudgeRpc rpc;
    private final JudgePort port;
    private final RaftServer server;

    private RaftJudge(RaftConfig config) throws IOException {
        this.config = config;
        JudgeFolder.open(config.folder(), config.relay(), config.set());
        port = new JudgePort(config.relay(), config.set(), config.guard());
        rpc = new JudgeRpc(config);
        try {
            server = RatisServer.open(config, machine, rpc);
        } catch (IOException | RuntimeException e) {
            closeQuietly(e);
            throw e;
        }
    }

    /** @throws IOException in one line, if the port is in use, or the folder damaged, in use or another's */
    static RaftJudge start(RaftConfig config) throws IOException {
        RaftJudge judge = new RaftJudge(config);
        try {
            judge.server.start();
        } catch (CompletionException e) {
            judge.closeQuietly(e);
            throw new IOException(e.getCause().getMessage(), e);
        } catch (IOException | RuntimeException e) {
            judge.closeQuietly(e);
            throw e;
        }
        judge.port.start(judge::answer);
        return judge;
    }

    JudgeReply answer(Question question, byte[] content) {
        try {
            return switch (question) {
                case REQUEST_VOTE -> JudgeReply.done(server.requestVote(RequestVoteRequestProto.parseFrom(content)).toByteArray());
                case APPEND_ENTRIES -> JudgeReply.done(server.appendEntries(AppendEntriesRequestProto.parseFrom(content)).toByteArray());
                case INSTALL_SNAPSHOT -> JudgeReply.done(server.installSnapshot(InstallSnapshotRequestProto.parseFrom(content)).toByteArray());
                case START_ELECTION -> JudgeReply.done(server.startLeaderElection(StartLeaderElectionRequestProto.parseFrom(content)).toByteArray());
                case COMMAND -> command(new ByteReader(content));
                case LOOKUP -> lookup(new ByteReader(content));
                case LIST -> list(new ByteReader(content));
                case CHANGES -> changes(new ByteReader(content));
            };
        } catch (IOException | RuntimeException e) {
            return JudgeReply.failed(String.valueOf(e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return JudgeReply.failed("judge " + config.relay() + " is closing");
        }
    }

    private JudgeReply command(ByteReader in) throws IOException, InterruptedException {
        ClientId client = ClientId.valueOf(UnsafeByteOperations.unsafeWrap(in.bytes(CLIENT_BYTES, "a front end's id")));
        long call = in.i64("a call", 0);
        byte[] command = in.rest();
        NameCommand.read(new ByteReader(ByteBuffer.wrap(command))); // What is malformed does not come into the log.
        return await(submit(client, call, UnsafeByteOperations.unsafeWrap(command)));
    }

    private JudgeReply lookup(ByteReader in) throws IOException, InterruptedException {
        Name name = in.prefix();
        in.end();
        JudgeReply passed = await(barrier.pass());
        return passed.answer() != Frame.Answer.DONE ? passed : JudgeReply.done(new ByteWriter().bound(machine.lookup(name)).toBytes());
    }

    private JudgeReply list(ByteReader in) throws IOException, InterruptedException {
        Name prefix = in.prefix();
        int limit = in.count("names", NameService.LIST_MAX);
        Optional<Name> after = in.optionalName();
        in.end();
        JudgeReply passed = await(barrier.pass());
        if (passed.answer() != Frame.Answer.DONE) {
            return passed;
        }
        ByteWriter out = new ByteWriter();
        for (BoundName each : machine.list(prefix, limit, after)) {
            out.flag(true).bound(each);
        }
        return JudgeReply.done(out.flag(false).toBytes());
    }

    private JudgeReply changes(ByteReader in) throws IOException, InterruptedException {
        long since = in.i64("an index", -1);
        long millis = Math.min(in.i64("milliseconds", 0), config.timing().answerMs());
        in.end();
        DivisionInfo info = server.getDivision(RatisServer.group(config)).getInfo();
        ChangePage page = machine.awaitChanges(since, millis, info::isLeaderReady);
        return info.isLeaderReady() ? JudgeReply.done(page.toBytes()) : JudgeReply.notLeader(Optional.ofNullable(info.getLeaderId()).map(RaftPeerId::toString)
                .filter(leader -> !leader.equals(config.relay())).orElse(""));
    }

    private CompletableFuture<JudgeReply> submit(ClientId client, long call, ByteString command) {
        RaftClientRequest request = RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(RaftPeerId.valueOf(config.relay()))
                .setGroupId(RatisServer.group(config))
                .setCallId(call)
                .setMessage(Message.valueOf(command))
                .setType(RaftClientRequest.writeRequestType())
                .build();
        try {
            return server.submitClientRequestAsync(request).thenApply(RaftJudge::reply);
        } catch (IOException | RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static JudgeReply reply(RaftClientReply reply) {
        if (reply.isSuccess()) {
            return JudgeReply.done(reply.getMessage().getContent().toByteArray());
        }
        NotLeaderException notLeader = reply.getNotLeaderException();
        if (notLeader != null) {
            return JudgeReply.notLeader(Optional.ofNullable(notLeader.getSuggestedLeader()).map(RaftPeer::getId).map(RaftPeerId::toString).orElse(""));
        }
        return JudgeReply.failed(String.valueOf(reply.getException().getMessage()));
    }

    private JudgeReply await(CompletableFuture<JudgeReply> reply) throws IOException, InterruptedException {
        try {
            return reply.get(config.timing().answerMs(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new IOException("judge " + config.relay() + " leads, and no majority has followed within " + config.timing().answerMs() + " ms", e);
        } catch (ExecutionException e) {
            throw new IOException("judge " + config.relay() + ": " + e.getCause().getMessage(), e);
        }
    }

    /** The judge that leads, as this one knows it; empty if it knows of none. */
    Optional<String> leader() throws IOException {
        return Optional.ofNullable(server.getDivision(RatisServer.group(config)).getInfo().getLeaderId()).map(RaftPeerId::toString);
    }

    /** Ends the judge: Ratis would let it vote, and lead, with a log that it does not write any more. */
    void logFailed(Throwable why) {
        if (failed.compareAndSet(false, true)) {
            LOG.error("relay {}: its judge has ended, as it cannot write to {}: {}; make room, and start the relay again; the other judges go on",
                    config.relay(),
                    config.folder(), (why.getCause() == null ? why : why.getCause()).getMessage());
            Thread.ofVirtual().name("posthouse-judge-end").start(this::end);
        }
    }

    /** Whether Ratis has ended it, as it could not apply its log; one that cannot write has been reported already. */
    boolean hasEnded() {
        try {
            return !failed.get() && !server.getDivision(RatisServer.group(config)).getInfo().isAlive();
        } catch (IOException e) {
            LOG.debug("relay {}: the judge is closed", config.relay(), e);
            return true;
        }
    }

    /** Closes it; what goes wrong is logged, as its state is on the disk already. */
    void end() {
        try {
            close();
        } catch (IOException e) {
            LOG.warn("relay {}: the judge did not close in order: {}", config.relay(), e.getMessage());
        }
    }

    private void closeQuietly(Exception because) {
        try {
            close();
        } catch (IOException e) {
            because.addSuppressed(e);
        }
    }

    @Override
    public synchronized void close() throws IOException {
        try (RaftServer last = server; rpc) { // The port first: what comes while Ratis closes, it would log as an error.
            port.close();
        }
    }
}
