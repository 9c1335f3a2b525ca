package org.posthouse.launch.place;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.posthouse.launch.job.JobFailure;
import org.posthouse.mpj.channel.FrameChannel;
import org.posthouse.mpj.channel.RelayAuthentication;
import org.posthouse.mpj.channel.RelayTls;
import org.posthouse.mpj.channel.TlsRequiredException;
import org.posthouse.mpj.channel.UnprovenRelayException;
import org.posthouse.wire.AgentDrain;
import org.posthouse.wire.AgentEnd;
import org.posthouse.wire.AgentGone;
import org.posthouse.wire.AgentOffer;
import org.posthouse.wire.Challenge;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.Identify;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobKept;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.JobReport;
import org.posthouse.wire.MutualProof;
import org.posthouse.wire.NameAnswer;
import org.posthouse.wire.NameAsk;
import org.posthouse.wire.NamePage;
import org.posthouse.wire.NamedRecord;
import org.posthouse.wire.NodeLifetimes;
import org.posthouse.wire.NodesPage;
import org.posthouse.wire.Nonce;
import org.posthouse.wire.RankFailed;
import org.posthouse.wire.Token;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The launcher's connection to one relay. Its own virtual thread reads; any thread writes. It ends with the job, or
 * when the connection breaks: {@code JobRelays} makes another.
 */
public final class RelayClient implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RelayClient.class);
    public static final long ANSWER_SECONDS = 10;

    /** Most HELLOs to a relay that has not received one within its 5 s because this host is busy. */
    private static final int HELLOS_MAX = 10;

    private final FrameChannel line;
    private final Token token;
    private final Identify identity = Identify.of(Hello.launcher(), Nonce.random());
    private final RelayProof proof;

    /** Written by threads that ask for nodes, read by the launching one. */
    private volatile long listedUs = Long.MAX_VALUE;

    /**
     * The relay's proof of its identity; null before. Written by the thread that reads, read by any that asks the relay
     * for something.
     */
    private volatile Challenge challenge;

    private final CompletableFuture<Welcome> welcome = new CompletableFuture<>();
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    // Written by the thread that dials, before the job is opened; read by the one that reads.
    private volatile Consumer<JobEvent> events = event -> {};
    private volatile Consumer<String> onLost = why -> {};

    /** Written by any thread, read by the one that reads. */
    private volatile boolean closing;

    /**
     * Whether the relay may have opened the job, whatever its answer. Written by the thread that dials, read by the
     * job's.
     */
    private volatile boolean asked;

    /**
     * The reason with which the relay closed the connection; null as long as it has not. Written by the thread that
     * reads, read by the one that dials and the job's.
     */
    private volatile CloseReason refusal;

    /** Written by the thread that reads, read by any. */
    private volatile long heardNs = System.nanoTime();

    /** Whether who answers has not proven to be a relay. Written by the thread that reads, read by the one that dials. */
    private volatile boolean unproven;

    /** Whether the relay wants TLS. Written by the thread that reads, read by the one that dials. */
    private volatile boolean needsTls;

    /**
     * The relay's own description; null until it is received, then constant. Written by the thread that dials, read by
     * any.
     */
    private volatile Candidate self;
    private List<Candidate> known = List.of();
    private int selfIndex;
    private int leftOut;

    /** Whether the relay takes reports. Written by the thread that dials, read by any. */
    private volatile boolean takesReports;

    private final ReportWindow reports = new ReportWindow();

    /** Answers about agents that this launcher waits for. */
    private final AgentAnswers answers = new AgentAnswers();

    private final NameQuestions names = new NameQuestions();

    /** Written by any thread, read by the one that reads. */
    private volatile AgentFrameListener agentFrames = (type, frame) -> {};

    private RelayClient(FrameChannel line, Token token) {
        this.line = line;
        this.token = token;
        this.proof = new RelayProof(token, identity);
    }

    /**
     * Connects, has the relay prove who it is, does the same, and says HELLO.
     *
     * @param token the launch token of the relay; {@link Token#NONE} if it is to be this user's or root's
     * @throws JobFailure naming the relay, if it cannot be reached, does not prove who it is, or refuses
     */
    public static RelayClient connect(String address, Token token) throws JobFailure {
        return connect(address, token, "");
    }

    /** As {@link #connect(String, Token)}. @param advice the end of the line if it cannot be reached: what is to be done then */
    static RelayClient connect(String address, Token token, String advice) throws JobFailure {
        try {
            RelayTls tls = RelayTls.onDemand();
            for (int hellos = 1;; hellos++) {
                RelayClient relay = new RelayClient(FrameChannel.connect(address, tls), token);
                try {
                    relay.greet();
                    LOG.info("{} has proven who it is {}", relay, relay.proof);
                    return relay;
                } catch (JobFailure e) {
                    relay.close();
                    if (relay.needsTls && tls.ask()) {
                        continue;
                    }
                    if (relay.refusal == CloseReason.RELAY_STARTING) {
                        throw new JobFailure(e.getMessage(), e, JobFailure.Kind.EARLY);
                    }
                    if (relay.unproven) {
                        throw new JobFailure("the relay at " + address + " cannot be trusted: " + e.getMessage(), e, JobFailure.Kind.STRANGER);
                    }
                    if (relay.refusal != CloseReason.TIMEOUT || hellos == HELLOS_MAX) {
                        throw e;
                    }
                }
            }
        } catch (UnprovenRelayException e) {
            throw new JobFailure("the relay at " + address + " cannot be trusted: " + e.getMessage(), e, JobFailure.Kind.STRANGER);
        } catch (IOException e) {
            throw new JobFailure(e.getMessage() + advice, e);
        }
    }

    /** Whether this relay, and no other, answers at this address; blocks for 10 s, or longer while the relay, or this host, is too busy for a HELLO. */
    public static boolean answers(String relay, String address, Token token) {
        try (RelayClient line = connect(address, token)) {
            return line.home().relay().equals(relay);
        } catch (JobFailure e) {
            LOG.info("relay {} does not answer: {}", relay, e.getMessage());
            return false;
        }
    }

    /**
     * Whether a process accepts connections at this address and says nothing for {@link #ANSWER_SECONDS}, as a stopped
     * process does. Blocks that long.
     */
    public static boolean isUnresponsive(String address, Token token) {
        try (RelayClient line = connect(address, token)) {
            return line.self == null;
        } catch (JobFailure e) {
            LOG.info("the relay at {}: {}", address, e.getMessage());
            return e.getCause() instanceof TimeoutException;
        }
    }

    /** Whether it has ended. */
    public boolean isLost() {
        return closing;
    }

    /** When something came last, on the clock of {@link System#nanoTime}. */
    public long heardNs() {
        return heardNs;
    }

    private void greet() throws JobFailure {
        Thread.ofVirtual().name("posthouse-relay-" + line.remote()).start(this::read);
        Welcome answer = await(welcome, "did not answer HELLO");
        if (answer.size() > 0) {
            throw new JobFailure(this + " greets a rank, not a launcher");
        }
        known = IntStream.range(0, answer.homes().size())
                .mapToObj(i -> new Candidate(answer.homes().get(i), answer.ranksAt()[i]))
                .toList();
        leftOut = answer.pages();
        selfIndex = answer.self();
        takesReports = answer.takesReports();
        Candidate told = known.get(selfIndex);
        self = new Candidate(new HomeRelay(told.site(), told.relay(), line.remote()), told.ranks());
    }

    /** The relay at the other end. */
    public HomeRelay home() {
        return self.home();
    }

    /** The relay at the other end, and how many ranks it says that it has. */
    public Candidate self() {
        return self;
    }

    /** Whether nothing stands between, as far as can be known: it was reached where it was called. */
    public boolean isDirect() {
        return proof.isDirect();
    }

    /** The relays that it has reported, itself included. */
    public List<Candidate> known() {
        return known;
    }

    /** Where it says that it listens, which may be written otherwise than where it was reached. */
    String listen() {
        return known.get(selfIndex).home().address();
    }

    /** Number of further relays that it knows, for which its answer had no room. */
    int leftOut() {
        return leftOut;
    }

    /** Tells whom to call with events of ranks, and when the relay is gone behind {@link #open}, before which it is called. */
    public void listen(Consumer<JobEvent> events, Consumer<String> onLost) {
        this.events = events;
        this.onLost = onLost;
    }

    /**
     * Opens the job and waits until the relay has done so. The relay learns its part of the job's token; an
     * eavesdropper does not.
     */
    public void open(JobOpen job) throws JobFailure {
        asked = true;
        JobOpen told = job.at(home().relay());
        try {
            write(told.with(MutualProof.sealed(told.token(), token, identity, challenge)).encode());
        } catch (IOException e) {
            throw new JobFailure(this + " is gone: " + e.getMessage(), e);
        }
        await(opened, "did not open the job");
    }

    /** Sends a frame about agents or files. Frames of one thread are sent in order. */
    public void send(ByteBuffer frame) throws IOException {
        write(frame);
    }

    private void write(ByteBuffer frame) throws IOException {
        synchronized (line) {
            line.write(frame);
        }
    }

    /** Tells whom to call with frames about agents and files. */
    public void listenAgents(AgentFrameListener listener) {
        agentFrames = listener;
    }

    /** The relay's agents, each with its last offer. Blocks for at most {@link #ANSWER_SECONDS}. */
    public List<AgentOffer> nodes() throws JobFailure {
        long sinceNs = System.nanoTime();
        List<AgentOffer> offers = await(asked(answers.list(), NodesPage.ask()), "did not list its nodes");
        listedUs = Math.min(listedUs, TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - sinceNs));
        return offers;
    }

    /** How long the relay's agents have been connected, as far as it remembers. Blocks for at most {@link #ANSWER_SECONDS}. */
    public List<NodeLifetimes.Lifetime> lifetimes() throws JobFailure {
        return await(asked(answers.lifetimes(), NodeLifetimes.ask()), "did not tell how long its nodes have lived");
    }

    /** The shortest time in which the relay has listed its nodes, in microseconds: a round trip. */
    public long roundTripUs() {
        return listedUs;
    }

    /**
     * Asks an agent to take no new job, or to take jobs again. Blocks for at most {@link #ANSWER_SECONDS}.
     *
     * @return what it offers now
     */
    public AgentOffer drain(long agent, boolean drain) throws JobFailure {
        return await(asked(answers.offer(agent), new AgentDrain(agent, drain).encode()), "did not bring the answer of its node");
    }

    /** Asks an agent to end, at once or after its last job. Does not wait for it. */
    public void endAgent(long agent, boolean now) throws JobFailure {
        try {
            write(new AgentEnd(agent, now).encode());
        } catch (IOException e) {
            throw new JobFailure(this + " is gone: " + e.getMessage(), e);
        }
    }

    /**
     * Asks the relay's name service. Blocks for at most {@code seconds}.
     *
     * @return the answer, whatever its status
     */
    public NameAnswer names(NameAsk ask, long seconds) throws JobFailure {
        return await(sent(names.next(), ask), seconds, "did not answer about names");
    }

    /**
     * Listens to the names at and below a prefix, until this connection ends. The thread that reads the connection calls.
     *
     * @param onLost told why no more changes come
     * @throws JobFailure if the relay refuses
     */
    public void listenNames(String prefix, Consumer<NamedRecord> listener, Consumer<String> onLost) throws JobFailure {
        NameAnswer answer = await(
                sent(names.next(listener, onLost), NameAsk.of(NameAsk.Operation.LISTEN, prefix)), ANSWER_SECONDS, "did not answer about names");
        if (answer.status() != NameAnswer.Status.DONE) {
            throw new JobFailure(this + " refuses: " + answer.text());
        }
    }

    private CompletableFuture<NameAnswer> sent(NameQuestions.Question question, NameAsk ask) throws JobFailure {
        try {
            synchronized (line) {
                for (ByteBuffer page : NamePage.encode(FrameType.NAME_ASK, 0, question.id(), ask.encode())) {
                    line.write(page);
                }
            }
            return question.answer();
        } catch (IOException e) {
            throw new JobFailure(this + " is gone: " + e.getMessage(), e);
        }
    }

    private <T> CompletableFuture<T> asked(CompletableFuture<T> answer, ByteBuffer question) throws JobFailure {
        try {
            write(question);
            if (closing) {
                answers.lost(new JobFailure(this + " is gone"));
            }
            return answer;
        } catch (IOException e) {
            throw new JobFailure(this + " is gone: " + e.getMessage(), e);
        }
    }

    /** Asks the relay to end the job, if it was asked to open it. */
    public void closeJob(CloseNotice why) {
        if (!asked) {
            closed.complete(null);
            return;
        }
        try {
            write(why.encode(FrameType.JOB_CLOSE));
        } catch (IOException e) {
            closed.completeExceptionally(e);
        }
    }

    /** Sends this to the relay. Nothing is sent on a broken connection, which its reader notices. */
    public void kept(JobKept kept) {
        tell(kept.encode());
    }

    /** As {@link #kept}: a process of a rank has ended, which its relay need not have noticed. */
    public void rankFailed(RankFailed failed) {
        tell(failed.encode());
    }

    private void tell(ByteBuffer frame) {
        try {
            write(frame);
        } catch (IOException e) {
            closed.completeExceptionally(e);
        }
    }

    /** Has the relay ask the job's ranks there for checkpoints. */
    public void askForCheckpoints(long job) {
        ByteBuffer frame = ByteBuffer.allocate(Wire.HEADER_BYTES);
        new FrameView().wrap(frame, 0).begin(FrameType.JOB_SAVE, Wire.HEADER_BYTES, job);
        try {
            write(frame);
        } catch (IOException e) {
            closed.completeExceptionally(e);
        }
    }

    /** Whether there is room for a report: those that the relay has not answered yet are no more than sockets hold. */
    public boolean mayReport() {
        return !takesReports || closing || reports.hasRoom();
    }

    /** Tells the relay something for its console, unless it takes no reports. Does not wait. Call if {@link #mayReport}. */
    public void report(JobReport report) {
        if (!takesReports || closing) {
            return;
        }
        ByteBuffer frame = report.encode();
        reports.add(frame.remaining());
        try {
            write(frame);
        } catch (IOException e) {
            LOG.debug("{} is gone, which its reader reports: {}", this, e.getMessage());
        }
    }

    /** Waits until the relay has sent all reports and closed the job for good; false if it does not in time. */
    public boolean awaitClosed(long timeoutMs) throws InterruptedException {
        try {
            requireClosed(timeoutMs);
            return true;
        } catch (JobFailure e) {
            return false;
        }
    }

    /** The same. @throws JobFailure if it does not in time */
    public void requireClosed(long timeoutMs) throws JobFailure, InterruptedException {
        try {
            closed.get(timeoutMs, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw new JobFailure(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new JobFailure(this + " did not end the job within " + timeoutMs + " ms", e);
        }
    }

    private <T> T await(CompletableFuture<T> answer, String otherwise) throws JobFailure {
        return await(answer, ANSWER_SECONDS, otherwise);
    }

    private <T> T await(CompletableFuture<T> answer, long seconds, String otherwise) throws JobFailure {
        try {
            return answer.get(seconds, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new JobFailure(e.getCause().getMessage(), e);
        } catch (TimeoutException e) {
            throw new JobFailure(this + " " + otherwise + " within " + seconds + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new JobFailure("interrupted while waiting for " + this, e);
        }
    }

    private void introduce() throws IOException, WireException {
        challenge = RelayAuthentication.prove(line, token, identity, proof).orElse(null);
        if (challenge != null) {
            try {
                line.write(Hello.launcher().encode());
            } catch (IOException e) {
                // The relay has closed: its last word is read, or that there is none.
            }
        }
    }

    private void read() {
        try {
            introduce();
            while (!closing) {
                line.read();
                heardNs = System.nanoTime();
                line.dispatch(this::onFrame);
            }
        } catch (EOFException e) {
            lost(welcome.isDone() ? this + " has closed the connection" : stranger("it has closed the connection"));
        } catch (UnprovenRelayException e) {
            unproven = true;
            lost(e.getMessage());
        } catch (TlsRequiredException e) {
            needsTls = true;
            lost(e.getMessage());
        } catch (IOException | WireException e) {
            lost(welcome.isDone() ? "the connection to " + this + " broke: " + e.getMessage() : stranger(e.getMessage()));
        }
    }

    /** Of one that has not answered HELLO: most often another port of the relay, or else it made room for another. */
    private String stranger(String why) {
        return "no relay greets launchers at " + line.remote() + ": " + why
                + "; give the address of a relay's --listen, which has another port than its --links and its --ops, or try again if thousands only connect to it";
    }

    private void onFrame(ByteBuffer frame, FrameView view) throws WireException {
        switch (view.type()) {
            case WELCOME -> onWelcome(Welcome.decode(frame));
            case JOB_OPENED -> opened.complete(null);
            case JOB_REPORTED -> reports.answered();
            case JOB_EVENT -> onEvent(JobEvent.decode(frame));
            case NODES -> answers.onPage(NodesPage.decode(frame));
            case NODE_LIFETIMES -> answers.onPage(NodeLifetimes.decode(frame));
            case AGENT_OFFER -> {
                answers.onOffer(AgentOffer.decode(frame));
                agentFrames.onFrame(view.type(), frame);
            }
            case AGENT_GONE -> {
                answers.onGone(AgentGone.decode(frame));
                agentFrames.onFrame(view.type(), frame);
            }
            case NAME_ANSWER, NAME_CHANGED -> names.onPage(view.type(), frame);
            case AGENT_MESSAGE, STAGE_ANSWER, STAGE_TAKEN, DETECTOR_VERDICT -> agentFrames.onFrame(view.type(), frame);
            case CLOSE -> {
                CloseNotice why = CloseNotice.decode(frame);
                refusal = why.reason();
                String verb = refusal == CloseReason.RELAY_STOPPING ? " has ended the connection: " : " refused: ";
                lost(this + verb + why.words() + "; " + why.reason().advice());
            }
            default -> throw new WireException(CloseReason.NOT_EXPECTED, view + " from " + this);
        }
    }

    /** @throws WireException if the relay has not proven its identity, and was sent no HELLO */
    private void onWelcome(Welcome answer) throws WireException {
        if (challenge == null) {
            throw new WireException(CloseReason.NOT_EXPECTED, "WELCOME before HELLO");
        }
        welcome.complete(answer);
    }

    private void onEvent(JobEvent event) {
        if (event.kind() == JobEvent.CLOSED && event.text().isEmpty()) {
            closed.complete(null);
        } else if (event.kind() == JobEvent.CLOSED) {
            closed.completeExceptionally(new JobFailure(event.text()));
        } else {
            events.accept(event);
        }
    }

    private void lost(String why) {
        JobFailure failure = new JobFailure(why);
        boolean wasClosing = closing;
        closing = true;
        welcome.completeExceptionally(failure);
        boolean wasOpened = !opened.completeExceptionally(failure);
        closed.completeExceptionally(failure);
        answers.lost(failure);
        names.lost(failure);
        if (!wasClosing) {
            agentFrames.onLost(why);
        }
        if (wasOpened && !wasClosing) {
            onLost.accept(why);
        }
    }

    /** Whether the connection ended because the relay said no, as it would again. */
    public boolean isRefused() {
        return refusal != null && refusal != CloseReason.RELAY_STOPPING && !isJobUnknown();
    }

    /** Whether the connection ended because the relay does not have the job. The next relay to be started there may. */
    public boolean isJobUnknown() {
        return refusal == CloseReason.UNKNOWN_JOB;
    }

    /** Whether the connection ended because the relay's log has lost what the job needs. */
    public boolean isLogDamaged() {
        return refusal == CloseReason.LOG_DAMAGED;
    }

    /** Whether the relay was asked to open the job and refused it. */
    public boolean isNotOpened() {
        return opened.isCompletedExceptionally() && refusal != null;
    }

    /** The relay in words for people, with its name if that is known. */
    @Override
    public String toString() {
        Candidate told = self;
        return (told == null ? "the relay" : "relay " + told.relay()) + " at " + line.remote();
    }

    @Override
    public void close() {
        closing = true;
        try {
            line.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
