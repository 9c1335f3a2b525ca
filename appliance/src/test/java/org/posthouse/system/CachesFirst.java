package org.posthouse.system;

import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The start caches of system tests are made before the time of any test runs (ADR 50). For all classes: JUnit finds it as a service. */
public final class CachesFirst implements BeforeAllCallback {
    @Override
    public void beforeAll(ExtensionContext context) {
        if (context.getRequiredTestClass().getPackage().equals(CachesFirst.class.getPackage())) {
            Installed.prepare();
        }
    }
}
