package org.posthouse.tunnel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LinkSharesTest {
    @Test
    void countsAsASlowQueueDoes() {
        for (long seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            int turns = 1 + random.nextInt(20);
            LinkShares shares = new LinkShares();
            ArrayDeque<Boolean> slow = new ArrayDeque<>();
            boolean kind = false;
            for (int step = 0; step < 500; step++) {
                if (random.nextInt(40) == 0) {
                    shares.clear();
                    slow.clear();
                } else if (random.nextInt(3) > 0) {
                    kind ^= random.nextInt(turns) == 0;
                    shares.add(kind);
                    slow.add(kind);
                } else {
                    int count = random.nextInt(Math.min(30, slow.size()) + 1);
                    long own = 0;
                    for (int i = 0; i < count; i++) {
                        own += slow.remove() ? 0 : 1;
                    }
                    assertThat(shares.take(count)).as("seed %s", seed).isEqualTo(own);
                }
            }
        }
    }
}
