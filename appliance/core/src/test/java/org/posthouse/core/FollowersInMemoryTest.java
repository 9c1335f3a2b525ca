package org.posthouse.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.Hello;
import org.posthouse.wire.JobEvent;

/** Followers of rank 0 whose history is only in its relay's memory: nothing can be compared with a log, or read again from one. */
final class FollowersInMemoryTest extends FollowedRank {
    private final OneRelay.Rank leader;

    FollowersInMemoryTest() throws Exception {
        super(OneRelay.inMemory(2));
        leader = relay.connect(0);
        relay.connect(1);
    }

    private TableFollower leads() throws Exception {
        TableFollower follower = follow(2);
        leader.sends(relay.frames.message(FrameType.SEND, 0, 0, 1, 0, 1, 10));
        relay.core.disconnected(leader.rank, leader, GONE);
        assertThat(follower.leads).isTrue();
        return follower;
    }

    @Test
    void whatTheNextLeaderRepeatsIsComparedWithWhatTheOneBeforeItSent() throws Exception {
        TableFollower follower = leads();
        follower.sends(claim(1, 1, 10, (byte) 0));
        assertThat(relay.events).noneMatch(event -> event.kind() == JobEvent.DIVERGED);
        follower.sends(claim(1, 1, 10, (byte) 1));
        assertThat(relay.events.getLast().kind()).isEqualTo(JobEvent.DIVERGED);
        assertThat(relay.events.getLast().text()).endsWith("message 1 to rank 1 in context 0 has other content in 10 bytes");
    }

    @Test
    void whatTheNextLeaderWasSentIsNotKeptForIt() throws Exception {
        TableFollower follower = leads();
        relay.core.storage().historyRead(follower.rank, 1, List.of(new HistoryStep.Reached(1)));
        assertThat(relay.historySource.reached).isEqualTo(1);
    }

    @Test
    void leaderThatComesAgainAndCannotBeGivenTheHistoryIsReplacedByAFollower() throws Exception {
        TableFollower follower = follow(2);
        OneRelay.Rank again = relay.new Rank();
        relay.connect(Hello.firstStart(OneRelay.JOB, 0).again(Hello.AGAIN, 0, 0, 0, 1, 0), again);
        assertThat(follower.leads).isFalse();
        relay.core.storage().historyUnreadable(leader.rank, 2, "its beginning was cut");
        assertThat(again.take()).endsWith("close CANNOT_RESUME");
        assertThat(follower.leads).isTrue();
        assertThat(relay.failure()).isNull();
    }

    @Test
    void historyOfAFollowerThatComesAgainIsKeptForItsEarlierConnectionUntilItIsRead() throws Exception {
        TableFollower before = follow(2);
        follow(Hello.follower(OneRelay.JOB, 0, 2).again(Hello.AGAIN, 0, 0, 0, 1, 0));
        assertThat(before.take()).containsExactly("close FENCED");
        assertThat(relay.historySource.take()).extracting(asked -> asked.replaceAll("(#[0-9]).*", "$1"))
                .containsExactly("begin rank 0 #1", "begin rank 0 #2", "end rank 0 #1");
    }

    @Test
    void followerThatHoldsSendersIsDroppedOnceItsLeaderHasReadForFiveSecondsAndItHasNot() throws Exception {
        TableFollower follower = follow(2);
        relay.journal.pretend(1);
        relay.journal.holdsForFollowers = true;
        leader.reads = false;
        pass(2 * FollowerLag.HELD_SECONDS_MAX);
        assertThat(follower.take()).as("its leader stands, too").isEmpty();
        leader.reads = true;
        pass(FollowerLag.HELD_SECONDS_MAX);
        assertThat(follower.take()).isEmpty();
        pass(1);
        assertThat(follower.take()).containsExactly("close LAGGED");
    }

    private void pass(long seconds) {
        for (long second = 0; second < seconds; second++) {
            relay.nanos += TimeUnit.SECONDS.toNanos(1);
            relay.core.lookAtFollowers(from -> 0);
        }
    }
}
