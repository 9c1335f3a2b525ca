package org.posthouse.relay.log;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.posthouse.core.Job;
import org.posthouse.core.Message;
import org.posthouse.core.RecoveredRank;
import org.posthouse.logstore.InFlightMessages;
import org.posthouse.logstore.JobState;
import org.posthouse.logstore.RankLog;
import org.posthouse.logstore.StoredMessage;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A job that was open when its relay died, as recorded in the relay's log.
 *
 * @param opening the launcher's request
 * @param position position of the record that opened it
 * @param ranks all ranks that are at home at the relay; none if there is a fault
 * @param failures frames of the deaths, revocations and agreements that are known, in the order of the log
 * @param divergences number of messages that they sent otherwise than before, as far as it was logged
 * @param divergence description of the first one; empty if there was none
 * @param fault the failure of reading its records, if it cannot continue from them; otherwise null
 */
public record LoggedJob(JobOpen opening, long position, List<RecoveredRank> ranks, List<ByteBuffer> failures, long divergences, String divergence,
        RuntimeException fault) {
    /**
     * Reads a job's records.
     *
     * @param relay one of the job's homes
     * @param drafts the incomplete messages; those of the job are removed
     * @throws WireException if the job's opening cannot be read
     */
    public static LoggedJob of(String relay, JobState job, InFlightMessages inFlightMessages) throws WireException {
        JobOpen opening = opening(job.opening());
        try {
            if (job.fault() != null) {
                throw job.fault();
            }
            return new LoggedJob(opening, job.position(), ranks(relay, opening, job, inFlightMessages), job.failures(), job.divergences(), job.divergence(),
                    null);
        } catch (RuntimeException e) {
            return new LoggedJob(opening, job.position(), List.of(), List.of(), job.divergences(), job.divergence(), e);
        }
    }

    private static List<RecoveredRank> ranks(String relay, JobOpen opening, JobState job, InFlightMessages inFlightMessages) {
        int self = Job.indexOf(relay, opening.homes());
        List<RecoveredRank> ranks = new ArrayList<>();
        for (int rank = 0; rank < opening.size(); rank++) {
            if (opening.homeOf()[rank] == self) {
                ranks.add(rank(rank, job.rank(rank), inFlightMessages.take(job.id(), rank)));
            }
        }
        return ranks;
    }

    /**
     * The relays to which this log may belong: the homes of the job's ranks that have records. If there are no records,
     * all homes that have ranks; if the opening cannot be read, none.
     */
    static List<String> homes(JobState job) {
        try {
            JobOpen opening = opening(job.opening());
            List<String> homes = opening.homes().stream().map(HomeRelay::relay).toList();
            List<String> known = job.ranks().stream().map(rank -> homes.get(opening.homeOf()[rank.rank()])).distinct().toList();
            return known.isEmpty() ? homes : known;
        } catch (WireException e) {
            return List.of();
        }
    }

    private static JobOpen opening(ByteBuffer frame) throws WireException {
        int bytes = frame.remaining();
        FrameView view = new FrameView().wrap(frame, 0);
        if (bytes < Wire.HEADER_BYTES || view.checkHeader(bytes) != bytes || view.type() != FrameType.JOB_OPEN) {
            throw new WireException(CloseReason.MALFORMED_FRAME, "its opening has " + bytes + " bytes, expected one JOB_OPEN");
        }
        return JobOpen.decode(frame);
    }

    private static RecoveredRank rank(int rank, RankLog log, List<StoredMessage> underWay) {
        if (log == null) {
            return RecoveredRank.nothing(rank);
        }
        List<RecoveredRank.Channel> channels = new ArrayList<>();
        List<RecoveredRank.Channel> takenBack = new ArrayList<>();
        log.forEachChannel((context, source, last) -> {
            channels.add(new RecoveredRank.Channel(context, source, last));
            log.forEachWithdrawn(
                    context, source, sequence -> takenBack.add(new RecoveredRank.Channel(context, source, sequence)));
        });
        List<Message> messages = underWay.stream()
                .map(stored -> RankHistoryReader.pieces(
                        Message.recovered(RankHistoryReader.logged(stored), stored.receipt() != null), stored))
                .toList();
        return new RecoveredRank(
                rank,
                log.incarnation(),
                log.followedAs(),
                log.finalized(),
                log.deliveries(),
                log.events(),
                log.polls(),
                channels,
                takenBack,
                messages,
                log.limited(),
                Stream.of(log.prologue(), log.olderCheckpoint(), log.checkpoint())
                        .flatMap(Optional::stream)
                        .map(point -> new RecoveredRank.Mark(point.number(), point.out(), point.err()))
                        .toList());
    }
}
