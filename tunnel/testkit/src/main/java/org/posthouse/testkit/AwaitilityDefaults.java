package org.posthouse.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A test that waits is failed neither by a thread that a test of another class breaks meanwhile, in the same JVM, nor by what the others cost (ADR 50). For all classes: JUnit finds it as a service. */
public final class AwaitilityDefaults implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.doNotCatchUncaughtExceptionsByDefault();
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }
}
