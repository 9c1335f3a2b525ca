package org.posthouse.launch.stage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/** Stores in the folder for temporary files. */
class TemporaryStoresTest {
    private static final int STORES = 16;

    /** One of this test alone. */
    private static final String PREFIX = "posthouse-test-" + ProcessHandle.current().pid() + "-";

    @Test
    void aStoreThatWasLeftIsUsedAgainAndARemovedOneIsGone() throws Exception {
        byte[] bytes = "content".getBytes(StandardCharsets.UTF_8);
        ContentId id = ContentId.of(ContentId.newDigest().digest(bytes), bytes.length);
        ContentStore first = TemporaryStores.open(PREFIX, 100);
        try (IncomingContent content = first.receive(id)) {
            content.write(0, ByteBuffer.wrap(bytes));
        }
        Path folder = first.folder();
        first.close();
        ContentStore again = TemporaryStores.open(PREFIX, 100);
        assertThat(again.folder()).isEqualTo(folder);
        assertThat(again.storedBytes(id)).isEqualTo(bytes.length);
        TemporaryStores.remove(again);
        assertThat(folder).doesNotExist();
    }

    /** One may take the new folder of another for one that was left. */
    @Test
    void storesThatAreOpenedAtOnceHaveFoldersOfTheirOwn() throws Exception {
        List<ContentStore> stores = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<ContentStore>> opened = new ArrayList<>();
            for (int i = 0; i < STORES; i++) {
                Callable<ContentStore> open = () -> TemporaryStores.open(PREFIX, 100);
                opened.add(threads.submit(open));
            }
            for (Future<ContentStore> each : opened) {
                stores.add(each.get());
            }
        }
        Set<Path> folders = new HashSet<>();
        stores.forEach(store -> folders.add(store.folder()));
        assertThat(folders).hasSize(STORES);
        for (ContentStore store : stores) {
            TemporaryStores.remove(store);
        }
    }
}
