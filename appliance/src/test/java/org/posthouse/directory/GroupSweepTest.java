package org.posthouse.directory;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.OperationTimeoutException;
import org.junit.jupiter.api.Test;

/** What is said of a sweep that fails, as during a cut. */
class GroupSweepTest {
    @Test
    void saysWhyInOneShortLine() {
        assertThat(GroupSweep.why(new OperationTimeoutException("QueryPartitionOperation invocation failed to complete due to operation-heartbeat-timeout."
                + " Current time: 2026-11-23 21:04:06.590. Invocation{op=com.hazelcast.map.impl.query.QueryPartitionOperation{\nserviceName='x'}}")))
                .isEqualTo("QueryPartitionOperation invocation failed to complete due to operation-heartbeat-timeout");
        assertThat(GroupSweep.why(new IllegalStateException("the member is not active"))).isEqualTo("the member is not active");
    }
}
