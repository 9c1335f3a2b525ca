package org.posthouse.core;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Stall;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * All that a relay decides: who may join, where a frame goes, which receive gets which message, who is given credit.
 * A single-owner state machine; every method is called by its owner and returns at once.
 *
 * <p>The way of a message is DESIGN section 3. A frame from a rank that breaks the protocol is answered with a {@link
 * WireException}, which closes that rank's connection; a frame from another site that does so ends the job it names.
 */
public final class RelayCore {
    /** Answers to probes that may wait for a rank that does not read. A thread of a rank awaits one at a time. */
    static final int UNREAD_ANSWERS_MAX = 16_384;

    private final String relay;
    private final CoreConfig config;
    private final SitePort sites;
    private final Function<JobOpen, Journal> journals;
    private final Deliveries deliveries;
    private final Map<Long, Job> jobs = new LinkedHashMap<>();

    /**
     * @param relay this relay's id in the homes of a job
     * @param journals opens the journal of a job that is logged; null from it means that there is no log
     */
    public RelayCore(String relay, CoreConfig config, SitePort sites, Function<JobOpen, Journal> journals) {
        this.relay = relay;
        this.config = config;
        this.sites = sites;
        this.deliveries = new Deliveries(config, sites);
        this.journals = journals;
    }

    // ---- jobs and ranks

    /** Opens a job, so that its ranks may come and messages for them may wait. */
    public Job openJob(JobOpen opening, JobWatch watch) throws Refusal {
        if (jobs.containsKey(opening.job())) {
            throw new Refusal(Reason.DUPLICATE_JOB, "job " + Job.hexId(opening.job()) + " is open already");
        }
        int self = Job.indexOf(relay, opening.homes());
        if (self < 0) {
            throw new Refusal(
                    Reason.WRONG_SITE,
                    "job " + Job.hexId(opening.job()) + " has no rank at relay " + relay + "; its homes: " + opening.homes());
        }
        Journal journal = opening.logged() ? journals.apply(opening) : Journal.NONE;
        if (journal == null) {
            throw new Refusal(Reason.NO_LOG, "job " + Job.hexId(opening.job()) + " is to be logged, at relay " + relay);
        }
        Job job = new Job(opening, self, watch, journal);
        jobs.put(job.id(), job);
        return job;
    }

    /** Ends a job: whoever is still connected is told, and everything kept for it is forgotten. */
    public void closeJob(long id, Notice why) {
        Job job = jobs.remove(id);
        if (job == null) {
            return;
        }
        for (HomedRank rank : job.homedRanks()) {
            RankPort port = rank.port();
            if (port != null) {
                rank.disconnect(RankState.LOST);
                job.watch().onJobEvent(new JobEvent(id, JobEvent.LOST, rank.rank(), why.code(), "the job was closed"));
                port.aborted(why);
            }
            rank.release();
        }
        job.journal().jobClosed(id);
        job.watch().onJobEvent(new JobEvent(id, JobEvent.CLOSED, -1, why.code(), ""));
    }

    public Collection<Job> jobs() {
        return Collections.unmodifiableCollection(jobs.values());
    }

    /** The job with this id, or null. */
    public Job job(long id) {
        return jobs.get(id);
    }

    /** Messages matched to a receive, and messages that had to wait for one, since the relay's start. */
    public long messagesMatched() {
        return deliveries.messagesMatched();
    }

    public long messagesStored() {
        return deliveries.messagesStored();
    }

    /**
     * A rank says HELLO. Version 1 of the relay starts ranks only once: a restart or a reconnect, which would need what
     * was logged, is refused by name.
     *
     * @return the connected rank; {@link #welcome} is what to answer
     */
    public HomedRank connect(Hello hello, RankPort port) throws Refusal {
        Job job = jobs.get(hello.job());
        if (job == null) {
            throw new Refusal(Reason.UNKNOWN_JOB, "job " + Job.hexId(hello.job()) + " is not open at relay " + relay);
        }
        try {
            HomedRank rank = admit(job, hello);
            rank.connect(port, hello.incarnation());
            job.watch().onJobEvent(new JobEvent(job.id(), JobEvent.CONNECTED, rank.rank(), 0, ""));
            return rank;
        } catch (Refusal refusal) {
            job.watch()
                    .onJobEvent(new JobEvent(
                            job.id(), JobEvent.REFUSED, hello.rank(), refusal.reason().code(), refusal.getMessage()));
            throw refusal;
        }
    }

    private HomedRank admit(Job job, Hello hello) throws Refusal {
        String who = "rank " + hello.rank() + " of job " + job.hexId();
        if (!job.token().matches(hello.token())) {
            throw new Refusal(Reason.WRONG_TOKEN, who + " came with a token that is not the job's");
        }
        HomedRank rank = job.homed(hello.rank());
        if (rank == null) {
            throw new Refusal(
                    Reason.WRONG_RANK,
                    hello.rank() >= 0 && hello.rank() < job.size()
                            ? who + " is at home at relay " + job.home(hello.rank()).relay() + ", not at " + relay
                            : who + ", which has ranks 0 to " + (job.size() - 1));
        }
        if (rank.state() != RankState.WAITING && hello.incarnation() <= rank.incarnation()) {
            throw new Refusal(
                    Reason.FENCED,
                    who + " with incarnation " + hello.incarnation() + ", but incarnation " + rank.incarnation() + " is "
                            + rank.state());
        }
        boolean fresh = hello.deliveries() == 0 && hello.failedPolls() == 0 && hello.sent().isEmpty();
        if (rank.state() != RankState.WAITING || !fresh) {
            throw new Refusal(
                    Reason.CANNOT_RESUME,
                    who + " is " + rank.state() + " after " + rank.messagesDelivered() + " deliveries and comes with "
                            + hello.deliveries() + "; this version starts a rank once");
        }
        return rank;
    }

    /** The answer to a rank that {@link #connect} admitted. */
    public Welcome welcome(HomedRank rank) {
        Job job = rank.job();
        return new Welcome(
                job.id(),
                rank.rank(),
                rank.incarnation(),
                config.creditBytes(),
                config.creditMessages(),
                rank.messagesDelivered(),
                List.of(),
                job.self(),
                job.homes(),
                job.homeOf());
    }

    /** A rank's connection ended. */
    public void disconnected(HomedRank rank, Notice why) {
        if (rank.state() == RankState.CONNECTED) {
            leave(rank, RankState.LOST);
            rank.job().watch().onJobEvent(new JobEvent(rank.job().id(), JobEvent.LOST, rank.rank(), why.code(), why.text()));
        }
    }

    /** Credit that waited for the rank to read goes back: what it paid for is no longer held here. */
    private void leave(HomedRank rank, RankState next) {
        List<Message> deferred = List.copyOf(rank.deferred());
        rank.disconnect(next);
        deferred.forEach(message -> deliveries.progress(rank, message));
    }

    /** A rank called Abort: its launcher ends the job. */
    public void aborted(HomedRank rank, Notice notice) {
        rank.job().watch().onJobEvent(new JobEvent(rank.job().id(), JobEvent.ABORTED, rank.rank(), notice.code(), notice.text()));
    }

    // ---- frames of ranks

    /** A frame other than HELLO, ABORT and CLOSE from a rank. */
    public void fromRank(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        if (rank.state() != RankState.CONNECTED) {
            throw new WireException(Reason.NOT_EXPECTED, view.type() + " from " + rank + ", which is " + rank.state());
        }
        if (view.job() != rank.job().id()) {
            throw new WireException(Reason.UNKNOWN_JOB, view.type() + " for job " + Job.hexId(view.job()) + " from " + rank);
        }
        try {
            dispatch(rank, frame);
        } catch (JournalFull e) {
            fail(rank.job(), Reason.LOG_FULL, e.getMessage());
        }
    }

    private void dispatch(HomedRank rank, Frame frame) throws WireException {
        FrameView view = frame.view();
        switch (view.type()) {
            case SEND, EAGER, OFFER -> send(rank, frame);
            case CHUNK -> sendChunk(rank, frame);
            case POST -> post(rank, view);
            case PROBE -> probe(rank, view);
            case CANCEL -> cancel(rank, view);
            case WITHDRAW -> withdraw(rank, view);
            case FINALIZE -> finalizeRank(rank, view);
            default -> throw new WireException(Reason.NOT_EXPECTED, view.type() + " from " + rank);
        }
    }

    private void send(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        Job job = from.job();
        Transfers.checkBegin(view, job.size(), Transfers.payloadBytes(view, Wire.MESSAGE_HEADER_BYTES));
        if (view.source() != from.rank()) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " in the name of rank " + view.source() + " from " + from);
        }
        logPolls(from, view.failedPolls());
        if (view.type() != FrameType.OFFER && !from.useCredit(Wire.cost(view.messageBytes()), config)) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED,
                    view.messageBytes() + " bytes from " + from + " with " + from.creditBytesUsed() + " of "
                            + config.creditBytes() + " in use");
        }
        if (view.type() == FrameType.OFFER && !from.takeOfferPlace()) {
            throw new WireException(
                    Reason.LIMIT, from + " has " + from.offers() + " sends that nobody has received, the most that may wait");
        }
        from.countSent(view.messageBytes());
        HomedRank to = job.homed(view.destination());
        if (to == null) {
            from.outgoing().begin(view);
            forward(job, view.destination(), frame);
        } else if (!deliveries.arrive(to, frame)) {
            dropped(from, view);
        }
    }

    /** Gives back what a duplicate has taken. */
    private static void dropped(HomedRank from, FrameView view) {
        if (view.type() == FrameType.OFFER) {
            from.freeOfferPlace();
        } else {
            from.returnCredit(Wire.cost(view.messageBytes()), 1);
        }
    }

    private void sendChunk(HomedRank from, Frame frame) throws WireException {
        FrameView view = frame.view();
        int bytes = Transfers.payloadBytes(view, Wire.CHUNK_HEADER_BYTES);
        checkOwn(from, view);
        HomedRank to = from.job().homed(view.destination());
        if (to == null) {
            from.outgoing().chunk(view, bytes);
            forward(from.job(), view.destination(), frame);
        } else {
            deliveries.arriveChunk(to, frame, bytes);
        }
    }

    private static void checkOwn(HomedRank from, FrameView view) throws WireException {
        if (view.source() != from.rank() || view.destination() < 0 || view.destination() >= from.job().size()) {
            throw new WireException(
                    Reason.WRONG_RANK,
                    view.type() + " from rank " + view.source() + " to rank " + view.destination() + " sent by " + from);
        }
    }

    private void forward(Job job, int destination, Frame frame) {
        String site = job.home(destination).site();
        if (!sites.forward(site, frame.hold())) {
            fail(job, Reason.SITE_UNREACHABLE, "no link to site " + site + ", the home of rank " + destination);
        }
    }

    private void post(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        checkRoom(rank);
        Receive receive = Receive.of(view.context(), view.source(), view.tag(), view.postRequest());
        Message message = rank.mailbox().post(receive);
        if (message != null) {
            deliveries.deliver(rank, message);
        }
    }

    private void probe(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        Message found = rank.mailbox().find(view.context(), view.source(), view.tag());
        if (found == null && (view.flags() & FrameView.BLOCKING) != 0) {
            checkRoom(rank);
            rank.mailbox().postProbe(Receive.of(view.context(), view.source(), view.tag(), view.postRequest()));
        } else {
            checkReads(rank);
            rank.port().probeAnswer(view.postRequest(), found);
        }
    }

    private static void checkReads(HomedRank rank) throws WireException {
        if (!rank.port().writable() && rank.countUnreadAnswer() > UNREAD_ANSWERS_MAX) {
            throw new WireException(
                    Reason.LIMIT, rank + " asks and does not read the answers: " + UNREAD_ANSWERS_MAX + " wait for it");
        }
    }

    private void cancel(HomedRank rank, FrameView view) throws WireException {
        checkPattern(rank, view);
        logPolls(rank, view.postFailedPolls());
        checkReads(rank);
        boolean gone = rank.mailbox().cancel(view.context(), view.source(), view.postRequest());
        rank.port().cancelled(view.postRequest(), gone);
    }

    private void withdraw(HomedRank from, FrameView view) throws WireException {
        Job job = from.job();
        int destination = view.destination();
        checkOwn(from, view);
        logPolls(from, view.postFailedPolls());
        checkReads(from);
        HomedRank to = job.homed(destination);
        if (to == null && from.outgoing().withdraw(view)) {
            sites.withdraw(
                    job.home(destination).site(), job.id(), view.context(), from.rank(), destination, view.sequence());
        } else {
            boolean gone = to != null && deliveries.withdraw(to, view);
            if (gone) {
                from.freeOfferPlace();
            }
            from.port().withdrawn(view.context(), destination, view.sequence(), gone);
        }
    }

    private static void checkPattern(HomedRank rank, FrameView view) throws WireException {
        int source = view.source();
        if (source != Wire.ANY && (source < 0 || source >= rank.job().size())) {
            throw new WireException(
                    Reason.MALFORMED_FRAME,
                    view.type() + " for source " + source + " from " + rank + ", which has " + rank.job().size() + " ranks");
        }
        if (view.destination() != rank.rank()) {
            throw new WireException(
                    Reason.WRONG_RANK, view.type() + " in the name of rank " + view.destination() + " from " + rank);
        }
    }

    private static void checkRoom(HomedRank rank) throws WireException {
        if (!rank.mailbox().mayPost()) {
            throw new WireException(
                    Reason.LIMIT, rank + " has " + rank.mailbox().posted() + " receives posted, the most that may wait");
        }
    }

    private void finalizeRank(HomedRank rank, FrameView view) throws WireException {
        logPolls(rank, view.finalizeFailedPolls());
        RankPort port = rank.port();
        leave(rank, RankState.FINALIZED);
        port.finalized();
        rank.job().stalls().forget(rank.rank());
        rank.job().stalls().waitingFor(rank.rank()).forEach(stall -> desert(rank.job(), stall));
        rank.job().watch().onJobEvent(new JobEvent(rank.job().id(), JobEvent.FINALIZED, rank.rank(), 0, ""));
    }

    /** A rank says that it is blocked in a collective, or no more. */
    public void blocked(HomedRank rank, Stall stall) throws WireException {
        Job job = rank.job();
        if (rank.state() != RankState.CONNECTED || stall.job() != job.id() || stall.rank() != rank.rank()) {
            throw new WireException(Reason.WRONG_RANK, "BLOCKED in the name of rank " + stall.rank() + " from " + rank);
        }
        for (int home = 0; home < job.homes().size(); home++) {
            if (home != job.self()) {
                sites.stall(job.homes().get(home).site(), FrameType.BLOCKED, stall);
            }
        }
        judge(job, stall);
    }

    /** The same, or its verdict, from another site's relay. */
    public void stalled(String site, FrameType type, Stall stall) {
        Job job = jobs.get(stall.job());
        if (job == null) {
            return;
        }
        boolean known = stall.rank() >= 0 && stall.rank() < job.size();
        if (type == FrameType.BLOCKED && known && job.home(stall.rank()).site().equals(site)) {
            judge(job, stall);
        } else if (type == FrameType.MISMATCH && known && job.homed(stall.rank()) != null && isHome(job, site)) {
            tell(job, stall);
        } else {
            fail(job, Reason.WRONG_SITE, type + " about rank " + stall.rank() + ", from site " + site);
        }
    }

    private static boolean isHome(Job job, String site) {
        return job.homes().stream().anyMatch(home -> home.site().equals(site));
    }

    private void judge(Job job, Stall stall) {
        job.stalls().put(stall);
        if (stall.text().isEmpty()) {
            return;
        }
        for (Stall other : job.stalls().against(stall)) {
            tell(job, Stalls.mismatch(stall, other));
            tell(job, Stalls.mismatch(other, stall));
        }
        HomedRank peer = job.homed(stall.peer());
        if (peer != null && peer.state() == RankState.FINALIZED) {
            desert(job, stall);
        }
    }

    private void desert(Job job, Stall stall) {
        if (job.homed(stall.rank()) == null) {
            sites.stall(job.home(stall.rank()).site(), FrameType.MISMATCH, Stalls.deserted(stall));
        } else {
            tell(job, Stalls.deserted(stall));
        }
    }

    /** Tells a rank that is at home here and reads; its own relay tells any other. */
    private static void tell(Job job, Stall stall) {
        HomedRank rank = job.homed(stall.rank());
        if (rank != null && rank.port() != null && rank.port().writable()) {
            rank.port().mismatch(stall);
        }
    }

    private static void logPolls(HomedRank rank, int polls) throws WireException {
        if (polls < 0) {
            throw new WireException(Reason.MALFORMED_FRAME, polls + " failed polls from " + rank);
        }
        if (polls > 0) {
            rank.addFailedPolls(polls);
            rank.job().journal().polls(rank.job().id(), rank.rank(), rank.incarnation(), polls);
        }
    }

    /** A rank that was slow to read reads again: what depended on it goes on. */
    public void writable(HomedRank rank) {
        rank.clearUnreadAnswers();
        for (int left = rank.deferred().size(); left > 0; left--) {
            deliveries.progress(rank, rank.deferred().remove());
        }
    }

    // ---- frames of other sites

    /** A frame that another site's relay passed on. Frames of jobs that have ended here are dropped. */
    public void fromSite(String site, Frame frame) {
        FrameView view = frame.view();
        Job job = jobs.get(view.job());
        if (job == null) {
            return;
        }
        try {
            switch (view.type()) {
                case SEND, EAGER, OFFER -> {
                    Transfers.checkBegin(view, job.size(), Transfers.payloadBytes(view, Wire.MESSAGE_HEADER_BYTES));
                    deliveries.arrive(homedFor(job, site, view), frame);
                }
                case CHUNK -> deliveries.arriveChunk(
                        homedFor(job, site, view), frame, Transfers.payloadBytes(view, Wire.CHUNK_HEADER_BYTES));
                case CLEAR -> cleared(job, site, view);
                case CREDIT -> credited(job, site, view);
                case WITHDRAW -> sites.withdrawn(
                        site,
                        job.id(),
                        view.context(),
                        view.source(),
                        view.destination(),
                        view.sequence(),
                        deliveries.withdraw(homedFor(job, site, view), view));
                case WITHDRAWN -> withdrawn(job, site, view);
                default -> throw new WireException(Reason.NOT_EXPECTED, view.type() + " from site " + site);
            }
        } catch (WireException e) {
            fail(job, e.reason(), e.getMessage() + ", from site " + site);
        } catch (JournalFull e) {
            fail(job, Reason.LOG_FULL, e.getMessage());
        }
    }

    /** The destination of a frame from {@code site}, whose source must be at home there. */
    private static HomedRank homedFor(Job job, String site, FrameView view) throws WireException {
        int source = view.source();
        if (source < 0 || source >= job.size() || !job.home(source).site().equals(site)) {
            throw new WireException(Reason.WRONG_SITE, view.type() + " in the name of rank " + source);
        }
        HomedRank to = job.homed(view.destination());
        if (to == null) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " for rank " + view.destination() + ", not at home here");
        }
        return to;
    }

    /** The source, at home here, of a message whose destination's site sends a frame back. */
    private static HomedRank sourceOf(Job job, String site, FrameView view) throws WireException {
        int destination = view.destination();
        if (destination < 0 || destination >= job.size() || !job.home(destination).site().equals(site)) {
            throw new WireException(Reason.WRONG_SITE, view.type() + " in the name of rank " + destination);
        }
        HomedRank source = job.homed(view.source());
        if (source == null) {
            throw new WireException(Reason.WRONG_RANK, view.type() + " for rank " + view.source() + ", not at home here");
        }
        return source;
    }

    private static void cleared(Job job, String site, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, site, view);
        if (source.outgoing().granted(view)) {
            source.freeOfferPlace();
        }
        if (source.port() != null) {
            source.port().clear(view.context(), view.destination(), view.sequence(), view.offset());
        }
    }

    private static void withdrawn(Job job, String site, FrameView view) throws WireException {
        HomedRank source = sourceOf(job, site, view);
        source.outgoing().withdrawn(view);
        boolean gone = (view.flags() & FrameView.FOUND) != 0;
        if (gone) {
            source.freeOfferPlace();
        }
        if (source.port() != null) {
            source.port().withdrawn(view.context(), view.destination(), view.sequence(), gone);
        }
    }

    private static void credited(Job job, String site, FrameView view) throws WireException {
        if (!isHome(job, site)) {
            throw new WireException(Reason.WRONG_SITE, "CREDIT from a site that is no home of the job");
        }
        HomedRank rank = job.homed(view.creditRank());
        if (rank == null) {
            throw new WireException(Reason.WRONG_RANK, "CREDIT for rank " + view.creditRank() + ", not at home here");
        }
        if (!rank.mayReturn(view.creditBytes(), view.creditMessages())) {
            throw new WireException(
                    Reason.CREDIT_EXCEEDED,
                    "CREDIT of " + view.creditBytes() + " bytes and " + view.creditMessages() + " messages for " + rank
                            + ", which has " + rank.creditBytesUsed() + " and " + rank.creditMessagesUsed() + " in use");
        }
        rank.returnCredit(view.creditBytes(), view.creditMessages());
    }

    /** What relays share has gone: the relay at {@code site} has restarted and forgotten its jobs. */
    public void forgotten(String site) {
        for (Job job : List.copyOf(jobs.values())) {
            if (isHome(job, site)) {
                fail(job, Reason.CANNOT_RESUME, "the relay at site " + site + " was restarted");
            }
        }
    }

    /** A fault outside the core leaves this job unable to go on. */
    public void failJob(long id, Reason reason, String detail) {
        Job job = jobs.get(id);
        if (job != null) {
            fail(job, reason, detail);
        }
    }

    /** Tells the launcher that the job cannot go on; the launcher ends it. */
    private static void fail(Job job, Reason reason, String detail) {
        job.watch().onJobEvent(new JobEvent(job.id(), JobEvent.ABORTED, -1, 1, reason + ": " + detail + "; " + reason.advice()));
    }
}
