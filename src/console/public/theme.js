// Before the first paint, so that nobody who has chosen dark sees a flash of light.
const theme = localStorage.getItem('querydock:theme');
if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
