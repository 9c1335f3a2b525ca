package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.vertx.core.Future;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.concurrent.TimeUnit;
import org.posthouse.audit.Audit;
import org.posthouse.core.Job;
import org.posthouse.core.JournalFailure;
import org.posthouse.core.Refusal;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.io.OutboundChannel;
import org.posthouse.relay.names.NameCaller;
import org.posthouse.relay.names.NameRequests;
import org.posthouse.relay.shard.Shard;
import org.posthouse.relay.stage.StageUploads;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.ExitStatuses;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.JobReport;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.StageAsk;
import org.posthouse.wire.StageData;
import org.posthouse.wire.Token;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * The session of a connected launcher, which opens and ends jobs and receives the events of their ranks. Its jobs end
 * with its connection, except logged ones, to which it may come back. It also sends to agents ({@link LauncherAgents}) and stages files
 * ({@link StageUploads}).
 * Confined to the relay's control strand.
 */
final class LauncherSession implements Session {
    /** Milliseconds for the connection of a process that has ended to end too. */
    private static final long END_MS_MAX = 2_000;

    private final Relay relay;
    private final Connection connection;
    private final OutboundChannel outboundChannel;
    private final SessionOutput output;
    private final LauncherAgents agents;
    private final StageUploads files;
    private final NameRequests names;
    private final Future<String> owner;
    private final UnaryOperator<Token> unsealed;
    private final Set<Long> jobs = new LinkedHashSet<>();

    /** Jobs that are being opened. A value is present if the launcher has closed the job meanwhile. */
    private final Map<Long, Optional<CloseNotice>> opening = new HashMap<>();

    /**
     * @param owner the user whose jobs it opens, as far as that is known; limits per user cover all jobs of one owner
     * @param unsealed decrypts a token that the launcher has sealed
     */
    LauncherSession(Relay relay, Connection connection, Future<String> owner, UnaryOperator<Token> unsealed) {
        this.relay = relay;
        this.connection = connection;
        this.outboundChannel = connection.line();
        this.output = new SessionOutput(connection);
        this.files = relay.stage().uploads(frame -> relay.control().submit(() -> output.write(frame)));
        this.names = relay.names().requests(new NameCaller.Launcher(), frame -> relay.control().submit(() -> output.write(frame)));
        this.agents = relay.agents().admit(output, owner);
        this.owner = owner;
        this.unsealed = unsealed;
    }

    /** Answers with the relays of the directory. */
    @Override
    public void begin() {
        if (connection.tryAdmit()) {
            write(relay.welcomeLauncher().encode());
        }
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        switch (view.type()) {
            case JOB_OPEN -> {
                JobOpen sealed = JobOpen.decode(ArrivedFrame.copy(buffer, index, length));
                open(sealed.with(unsealed.apply(sealed.token())));
            }
            case JOB_CLOSE -> close(view.job(), CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            case JOB_KEPT -> kept(JobKept.decode(ArrivedFrame.copy(buffer, index, length)));
            case RANK_FAILED -> rankFailed(RankFailed.decode(ArrivedFrame.copy(buffer, index, length)));
            case JOB_SAVE -> save(view.job());
            case JOB_REPORT -> report(JobReport.decode(ArrivedFrame.copy(buffer, index, length)));
            case NODES -> agents.list(ArrivedFrame.copy(buffer, index, length));
            case NODE_LIFETIMES -> agents.listLifetimes(ArrivedFrame.copy(buffer, index, length));
            case AGENT_MESSAGE -> agents.pass(buffer, index, length, view);
            case AGENT_END -> agents.endAgent(buffer, index, length);
            case AGENT_DRAIN -> agents.drain(buffer, index, length);
            case NAME_ASK -> names.onPage(NamePage.decode(ArrivedFrame.copy(buffer, index, length)));
            case STAGE_ASK -> files.onAsk(StageAsk.decode(ArrivedFrame.copy(buffer, index, length)));
            case STAGE_DATA -> files.onData(StageData.decode(ArrivedFrame.copy(buffer, index, length)));
            case CLOSE -> outboundChannel.cut(CloseNotice.decode(ArrivedFrame.copy(buffer, index, length)));
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view.type() + " from a launcher");
        }
    }

    /** Waits for the user, whose lookup began when the launcher connected. Links are waited for when a frame needs them. */
    private void open(JobOpen job) {
        Optional<String> noWay = relay.links().noWay(relay.jobs().others(job));
        if (!job.again() && noWay.isPresent()) {
            connection.close(CloseNotice.closing(job.job(), CloseReason.SITE_UNREACHABLE, noWay.get()));
            return;
        }
        opening.put(job.job(), Optional.empty());
        owner.onComplete((name, fault) -> relay.control().submit(() -> {
            if (fault != null) {
                refused(job.job(), fault);
            } else if (outboundChannel.closing() == null) {
                relay.jobs().open(job, name, this).onSuccess(this::opened).onFailure(cause -> refused(job.job(), cause));
            }
        }));
    }

    private void opened(OpenJob job) {
        Optional<CloseNotice> end = opening.getOrDefault(job.id(), Optional.empty());
        opening.remove(job.id());
        if (end.isPresent()) {
            relay.jobs().close(job.id(), end.get());
            return;
        }
        jobs.add(job.id());
        if (outboundChannel.closing() != null) {
            abandon(job.id());
            return;
        }
        write(bare(FrameType.JOB_OPENED, job.id()));
        relay.jobs().events().tellStandings(job);
    }

    /** A frame of a header alone. */
    private static ByteBuffer bare(FrameType type, long job) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(type, Wire.HEADER_BYTES, job);
        return frame;
    }

    private void refused(long job, Throwable cause) {
        CloseReason closeReason = switch (cause) {
            case Refusal refusal -> refusal.reason();
            case JournalFailure failure -> failure.reason();
            default -> CloseReason.INTERNAL;
        };
        connection.close(CloseNotice.closing(job, closeReason, cause.getMessage()));
    }

    private void write(ByteBuffer frame) {
        output.write(frame);
    }

    private void close(long job, CloseNotice why) {
        if (jobs.remove(job)) {
            relay.jobs().close(job, why);
        } else {
            opening.replace(job, Optional.of(why));
        }
    }

    private void kept(JobKept kept) {
        if (jobs.contains(kept.job())) {
            Shard shard = relay.shards().of(kept.job(), kept.rank());
            shard.strand().submit(() -> shard.core().outputKept(kept));
        }
    }

    private void rankFailed(RankFailed failed) {
        if (jobs.contains(failed.job())) {
            Shard shard = relay.shards().of(failed.job(), failed.rank());
            shard.strand().submit(() -> { // The connection's end comes behind what the rank has sent.
                if (shard.core().rankFailed(failed)) {
                    relay.loop().schedule(() -> shard.strand().post(() -> shard.core().fence(failed)), END_MS_MAX, TimeUnit.MILLISECONDS);
                }
            });
        }
    }

    private void save(long job) {
        if (jobs.contains(job)) {
            Audit.changed(relay.id(), "the ranks of job " + Job.hexId(job) + " are asked for checkpoints, as its launcher wants");
            relay.shards().askCheckpoints(job);
        }
    }

    /** A job that has ended meanwhile needs none. */
    private void report(JobReport report) throws WireException {
        write(bare(FrameType.JOB_REPORTED, report.job()));
        OpenJob job = jobs.contains(report.job()) ? relay.jobs().job(report.job()) : null;
        if (job != null) {
            relay.status().reports().on(report, job, relay.events());
        }
    }

    /** Passes on an event of one of its jobs. */
    void onJobEvent(JobEvent event) {
        write(event.encode());
    }

    @Override
    public void onWritable() {
        // Events are few; none was held back.
    }

    private void abandon(long job) {
        jobs.remove(job);
        relay.jobs().abandoned(job, this, new CloseNotice(job, ExitStatuses.TERMINATED, -1, "the launcher's connection ended"));
    }

    /** Called when the job has another launcher's connection. */
    void forget(long job) {
        jobs.remove(job);
    }

    @Override
    public void onClosed(CloseNotice why) {
        Set.copyOf(jobs).forEach(this::abandon);
        relay.agents().leave(agents, why);
        files.close();
        names.close();
    }

    @Override
    public String toString() {
        return "a launcher";
    }
}
