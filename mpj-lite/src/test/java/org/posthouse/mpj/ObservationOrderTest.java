package org.posthouse.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.posthouse.mpj.determinant.ThreadUseGuard;
import org.posthouse.mpj.progress.FinalizedException;
import org.posthouse.wire.ReplayLimit;

/** The program's calls over the endpoints of its own job and of a joint one, and the threads that read them. */
@Timeout(20)
class ObservationOrderTest {
    private final List<String> seen = new ArrayList<>();
    private final History own = new History("own");
    private final History joint = new History("joint");
    private final ObservationOrder order = new ObservationOrder(own);
    private final ThreadUseGuard.Turn inOwn = order.turn(own);
    private final ThreadUseGuard.Turn inJoint = order.turn(joint);

    private final class History implements ObservationOrder.History {
        private final String name;
        private volatile boolean isCatchingUp = true;
        private RuntimeException failure;

        History(String name) {
            this.name = name;
        }

        @Override
        public void awaitReported() {
            if (failure != null) {
                throw failure;
            }
            seen.add(name + " is reported");
        }

        @Override
        public boolean isCatchingUp() {
            return isCatchingUp;
        }

        @Override
        public void limitHere(ReplayLimit reason) {
            seen.add(name + " " + reason);
        }
    }

    private void call(ThreadUseGuard.Turn turn, String what) {
        turn.begin();
        seen.add(what);
        turn.end();
    }

    @Test
    void callInAnotherEndpointWaitsUntilTheLastOneHasReported() {
        call(inOwn, "a call");
        call(inJoint, "another job's call");
        call(inJoint, "its next");
        call(inOwn, "a call");
        assertThat(seen).containsExactly("a call", "own is reported", "another job's call", "its next", "joint is reported", "a call");
    }

    @Test
    void callsThatOverlapInTwoEndpointsLimitTheReplay() {
        inOwn.begin();
        call(inJoint, "another thread's call");
        inOwn.end();
        call(inOwn, "a call");
        assertThat(seen).containsExactly("own THREADS", "own is reported", "another thread's call", "joint is reported", "a call");
    }

    @Test
    void callThatFailsBeforeItBeginsIsOver() {
        own.failure = new IllegalStateException("broken");
        assertThatThrownBy(inJoint::begin).isSameAs(own.failure);
        own.failure = null;
        call(inOwn, "a call");
        assertThat(seen).containsExactly("a call");
    }

    @Test
    void callInTheOwnJobDoesNotFailWithAJointJobThatEnds() {
        call(inJoint, "a call");
        joint.failure = new FinalizedException("the other job has ended");
        call(inOwn, "the next");
        assertThat(seen).containsExactly("own is reported", "a call", "the next");
        own.failure = new FinalizedException(0);
        assertThatThrownBy(inJoint::begin).as("Finalize").isSameAs(own.failure);
    }

    private Thread reader(History history) {
        Thread reader = new Thread(() -> order.awaitReplayed(history));
        reader.start();
        return reader;
    }

    private static void awaitParked(Thread reader) {
        while (reader.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }
    }

    @Test
    void readingBeginsWhenTheProgramHasReplayedAndGoesOnElsewhere() throws Exception {
        Thread reader = reader(own);
        awaitParked(reader);
        call(inJoint, "a call while the own history is not over");
        awaitParked(reader);
        own.isCatchingUp = false;
        call(inOwn, "the last replayed call");
        call(inJoint, "a new one");
        reader.join();
    }

    @Test
    void readingBeginsInAllEndpointsWhenTheProgramWaitsForWhatIsNew() throws Exception {
        Thread ofOwn = reader(own);
        Thread ofJoint = reader(joint);
        awaitParked(ofOwn);
        awaitParked(ofJoint);
        order.blocked();
        ofOwn.join();
        ofJoint.join();
        assertThat(own.isCatchingUp && joint.isCatchingUp).isTrue();
    }
}
